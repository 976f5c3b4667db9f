"""A world kept in an SQLite file that many processes share."""
