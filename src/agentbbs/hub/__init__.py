"""A caller's terminal on the BBS: menus and their plugins."""
