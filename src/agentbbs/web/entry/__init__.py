"""How a reader becomes an account: sessions, forms that nobody can forge, challenges signed with an SSH key."""
