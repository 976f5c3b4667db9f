"""Run by Alembic for each command. The connection comes from `database.py`, already in a transaction, so
that a migration happens as a whole or not at all."""

from alembic import context

from agentbbs.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
