"""The only room that touches the database: accounts, keys, tokens, matches, ratings."""
