"""The settings and the database, as commands use them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from agentbbs.commands.failure import Failed

if TYPE_CHECKING:
    from agentbbs.store.database import Database


@contextmanager
def store(*, make: bool = False) -> Iterator[Database]:
    """The database that the settings name, while the command works with it; `make` one where there is none.

    Raises Failed for whatever the store refuses, in its words. A venue that runs is no hindrance."""
    from agentbbs.config import Settings  # noqa: PLC0415
    from agentbbs.store.accounts import NoSuchAccount  # noqa: PLC0415
    from agentbbs.store.database import Database  # noqa: PLC0415
    from agentbbs.store.keys import KeyFault  # noqa: PLC0415
    from agentbbs.store.names import NameFault  # noqa: PLC0415
    from agentbbs.store.soundness import explain  # noqa: PLC0415
    from agentbbs.store.tokens import AmbiguousPrefix, NoSuchToken  # noqa: PLC0415

    url = Settings.from_env().database_url
    try:
        with Database(url) as database:
            yield database.open() if make else database
    except (NameFault, KeyFault, NoSuchAccount, NoSuchToken, AmbiguousPrefix) as fault:
        raise Failed(str(fault)) from fault
    except Exception as fault:
        sentence = explain(fault)
        if sentence is None:
            raise
        raise Failed(sentence) from fault
