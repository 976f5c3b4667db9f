"""The pages, a room of the site a file."""
