"""The steps from each schema to the next (Alembic); `database.py` runs them, no `alembic.ini` is needed."""
