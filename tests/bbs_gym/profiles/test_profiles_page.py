"""The page of profiles tells what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bbs_gym.profiles.page import filled
from bbs_gym.profiles.user_profiles import user_catalog
from bbs_gym.reading import read_facts

PAGE = Path(__file__).resolve().parents[3] / "docs" / "profiles.md"


def test_its_tables_are_those_of_the_profiles() -> None:
    page = PAGE.read_text("utf-8")
    assert filled(page) == page, "write it anew: python -m bbs_gym.profiles.page docs/profiles.md"


def test_its_file_of_profiles_can_be_read() -> None:
    (file,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    catalog = user_catalog(file)
    assert catalog.route_set("advised-auto").routes[0].profile is catalog.profile("advised-trader")


def test_its_facts_are_what_is_read() -> None:
    (source,) = re.findall(r'read_facts\("(You .*?)", "starlane"\)', PAGE.read_text("utf-8"))
    facts = read_facts(source.replace(r"\n", "\n"), "starlane")
    assert f"{(facts.credits, facts.cargo, facts.safe_to_act)}" in PAGE.read_text("utf-8")


def test_a_page_without_a_place_for_a_table_is_told() -> None:
    with pytest.raises(ValueError, match="no place for the table profiles"):
        filled("# Profiles")
