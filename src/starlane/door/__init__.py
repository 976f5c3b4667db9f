"""A caller at a terminal: keys to orders, reports and views to screens."""
