"""Imports every module of the four packages in an environment that has the base dependencies alone.

`.ci/run` installs the package without any extra and runs this script there, from a folder outside of
the repository. It exits with 1 and names the modules that failed, and it fails as well when an extra
turns out to be installed, since the run would then prove nothing.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import traceback
from collections.abc import Iterator
from typing import Final

PACKAGES: Final = ("agentbbs", "bbs_gym", "starlane", "tty_agent")
EXTRAS: Final = (
    "uvloop",
    "openai",
    "anthropic",
    "numpy",
    "PIL",
    "pytest",
    "hypothesis",
    "websockets",
    "pyspiel",
    "mypy",
)
RUN_NOT_IMPORTED: Final = ("__main__", "env")
"""`__main__` starts the program, and Alembic runs `env` itself, within a migration."""


def modules(package: str) -> Iterator[str]:
    """The names of `package` and of every module below it, parents first."""
    yield package
    path = importlib.import_module(package).__path__
    for found in pkgutil.walk_packages(path, f"{package}."):
        if found.name.rpartition(".")[2] not in RUN_NOT_IMPORTED:
            yield found.name


def main() -> int:
    """Import everything; print one line with the count, or a traceback for each module that failed."""
    present = [name for name in EXTRAS if importlib.util.find_spec(name)]
    if present:
        sys.stderr.write(f"this environment has extras: {', '.join(present)}\n")
        return 1
    imported, failed = 0, 0
    for package in PACKAGES:
        for name in modules(package):
            try:
                importlib.import_module(name)
            except Exception:
                # Every module is tried, so that one run shows all that fail.
                failed += 1
                sys.stderr.write(f"{name}\n{traceback.format_exc()}")
            else:
                imported += 1
    sys.stdout.write(f"the core needs no extra: {imported} modules imported, {failed} not\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
