"""`agentbbs db …`: the database itself."""

from __future__ import annotations

from agentbbs.commands import output
from agentbbs.commands.opened import store


def upgrade() -> None:
    """Bring the database to this version's schema.

    Makes it where there is none. Stop the venue and make a backup first. `agentbbs serve` makes a new database
    by itself, and refuses an older one.

    \b
    Example:
      agentbbs db upgrade
    """
    with store() as database:
        before = database.current_revision()
        database.upgrade()
        now = database.current_revision()
    what = f"is at schema {now} already" if before == now else f"went from schema {before or 'none'} to {now}"
    output.note(f"{database.path} {what}")
