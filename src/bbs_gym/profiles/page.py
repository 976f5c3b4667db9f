"""The tables of `docs/profiles.md`, made of the profiles themselves.

`python -m bbs_gym.profiles.page docs/profiles.md` writes them into the page, each between its two marks; a test says
when that is due.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from bbs_gym.profiles.catalog import GYM_PROFILES
from bbs_gym.profiles.routes import ROUTE_SETS
from bbs_gym.prompt_modules import MODULES, STRATEGIES
from bbs_gym.readers.board import BOARD_PROMPTS
from bbs_gym.readers.known_prompt import KnownPrompt
from bbs_gym.reading import READERS
from tty_agent.activity.activity import ActivityProfile
from tty_agent.prompt_modules import AssistanceLevel, PromptModule


def filled(page: str) -> str:
    """The page with each table as it is now. Raises ValueError for a page without the marks of one."""
    for name, table in TABLES.items():
        begin, end = f"<!-- table: {name} -->\n", f"<!-- end: {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise ValueError(f"the page has no place for the table {name}")
        page = f"{page[: page.index(begin)]}{begin}\n{table()}\n\n{page[page.index(end) :]}"
    return page


def _profiles() -> str:
    header = ("profile", "actions", "limits", "decisions, seconds", "modules beside the generic ones")
    return _table(header, (_profile(one) for one in GYM_PROFILES))


def _profile(one: ActivityProfile) -> Sequence[str]:
    policy, budget = one.policy, one.budget
    limits = [f"text {policy.max_text_chars}"]
    if "submit_lines" in policy.allowed:
        limits.append(f"lines {policy.max_lines} of {policy.max_line_chars}")
    own = [module for module in one.modules if module.level is not AssistanceLevel.GENERIC_TERMINAL]
    return (
        _code(one.name),
        ", ".join(map(_code, policy.allowed)),
        "; ".join(limits),
        f"{budget.max_decision_ticks}, {budget.max_wall_seconds:g}",
        ", ".join(_code(module.name) for module in own),
    )


def _modules() -> str:
    own = (module for module in MODULES.values() if module.level is not AssistanceLevel.GENERIC_TERMINAL)
    return _table(("module", "level", "is told", "in"), (_module(module) for module in own))


def _module(module: PromptModule) -> Sequence[str]:
    users = [one.name for one in GYM_PROFILES if module in one.modules]
    told = "always" if module.static else "when there is something to tell"
    where = ", ".join(map(_code, users)) or ("no profile: advice" if module in STRATEGIES else "no profile")
    return (_code(module.name), _code(module.level), told, where)


def _route_sets() -> str:
    rows = (
        (_code(routes.name), _code(routes.default.name), _code(route.name), _code(route.profile.name))
        for routes in ROUTE_SETS
        for route in routes.routes
    )
    return _table(("route set", "default", "route", "leads to"), rows)


def _prompts() -> str:
    tables = {"BBS": BOARD_PROMPTS} | {name: reader.prompts for name, reader in READERS.items()}
    rows = [(place, name, prompts) for place, table in tables.items() for name, prompts in _by_name(table, place)]
    header = ("prompt", "of", "takes", "safe to act")
    return _table(header, ((_code(name), place, _takes(prompts), _safe(prompts)) for place, name, prompts in rows))


def _by_name(table: Iterable[KnownPrompt], place: str) -> Iterable[tuple[str, list[KnownPrompt]]]:
    found: dict[str, list[KnownPrompt]] = {}
    for prompt in table:
        if place == "BBS" or prompt.name.startswith(f"{place}-"):
            found.setdefault(prompt.name, []).append(prompt)
    return found.items()


def _takes(prompts: Iterable[KnownPrompt]) -> str:
    return ", ".join(dict.fromkeys(prompt.wants.replace("_", " ") for prompt in prompts))


def _safe(prompts: Iterable[KnownPrompt]) -> str:
    words = {True: "yes", False: "no", None: "depends"}
    return ", ".join(dict.fromkeys(words[prompt.safe] for prompt in prompts))


def _code(text: str) -> str:
    return f"`{text}`"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


TABLES: Final[Mapping[str, Callable[[], str]]] = MappingProxyType(
    {"profiles": _profiles, "modules": _modules, "route sets": _route_sets, "prompts": _prompts}
)
"""By the name in the marks."""


def main() -> None:
    """Write the tables into the page that is named."""
    page = Path(sys.argv[1])
    page.write_text(filled(page.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
