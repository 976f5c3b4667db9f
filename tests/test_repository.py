"""The repository as a stranger gets it: portable, pinned, documented, and whole when built as a wheel."""

from __future__ import annotations

import ast
import configparser
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("agentbbs", "bbs_gym", "starlane", "tty_agent")
MAX_MODULE_LINES: Final = 500
"""A longer file holds more than one idea."""

MODULES: Final = sorted((ROOT / "src").rglob("*.py"))
MODULE_NAMES: Final = [str(path.relative_to(ROOT)) for path in MODULES]

HOME_PATH: Final = re.compile(r"(?<![\w.$}])/(?:work|root|farm|home|Users)/")
INDEX_ADDRESS: Final = re.compile(
    r"index[-_]url|find[-_]links|trusted[-_]host|py[p]i\.org|python[h]osted\.org|registry\.n[p]mjs|d[e]b\.debian\.org",
    re.IGNORECASE,
)
"""Where packages come from is the business of the machine that installs them."""


def tracked_files() -> list[Path]:
    """Every text file that git tracks or would track."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout: there is no list of tracked files to read")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        timeout=30,
    ).stdout
    paths = [ROOT / name for name in listing.decode().split("\0") if name]
    return [path for path in paths if path.is_file() and b"\0" not in path.read_bytes()]


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    """`file:line: text` for each line of a tracked file in which `pattern` is found."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]


def direct_dependencies() -> list[Requirement]:
    """Everything that pyproject.toml asks for, extras included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(line) for line in chain(project["dependencies"], *extras)]


def pins() -> list[Requirement]:
    """The lines of constraints.txt, comments left out."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    texts = [line.split("#")[0].strip() for line in lines]
    return [Requirement(text) for text in texts if text]


def test_no_tracked_file_names_a_path_of_somebodys_machine() -> None:
    assert lines_matching(HOME_PATH) == []


def test_no_tracked_file_names_this_checkout() -> None:
    assert lines_matching(re.compile(re.escape(f"{ROOT}/"))) == []


def test_no_tracked_file_names_a_package_index() -> None:
    assert lines_matching(INDEX_ADDRESS) == []


@pytest.mark.parametrize("before", ["cd ", '"', "(", "`", "=", "file://"])
@pytest.mark.parametrize("folder", ["work", "root", "farm", "home", "Users"])
def test_a_path_of_somebodys_machine_would_be_found(before: str, folder: str) -> None:
    assert HOME_PATH.search(f"{before}/{folder}/venue")


@pytest.mark.parametrize("line", ["https://example.org/home/", "./data/root/", "$HOME/work/", "a/work/b"])
def test_other_paths_are_let_be(line: str) -> None:
    assert not HOME_PATH.search(line)


def test_constraints_pin_every_direct_dependency() -> None:
    pinned = {canonicalize_name(pin.name) for pin in pins()}
    assert {canonicalize_name(wanted.name) for wanted in direct_dependencies()} - pinned == set()


def test_constraints_pin_exact_versions() -> None:
    specifiers = {str(pin): [part.operator for part in pin.specifier] for pin in pins()}
    assert {text: operators for text, operators in specifiers.items() if operators != ["=="]} == {}
    assert [pin.name for pin in pins() if pin.url] == []


def test_pins_satisfy_what_the_project_asks_for() -> None:
    too_old = [
        (str(wanted), str(pin))
        for wanted in direct_dependencies()
        for pin in pins()
        if canonicalize_name(pin.name) == canonicalize_name(wanted.name)
        and next(iter(pin.specifier)).version not in wanted.specifier
    ]
    assert too_old == []


@pytest.mark.parametrize("path", MODULES, ids=MODULE_NAMES)
def test_every_module_says_what_it_is(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring
    assert docstring.strip()


@pytest.mark.parametrize("path", MODULES, ids=MODULE_NAMES)
def test_every_module_is_one_room(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES


def test_every_folder_with_code_is_a_package() -> None:
    assert {path.parent for path in MODULES if not (path.parent / "__init__.py").exists()} == set()


@pytest.mark.parametrize(("package", "contract"), [("agentbbs", "layers"), ("tty_agent", "rooms")])
def test_import_contracts_name_every_room(package: str, contract: str) -> None:
    """A new room must say where it stands: the layers are exhaustive and cover what there is."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter", encoding="utf-8")
    layers = contracts[f"importlinter:contract:{contract}"]
    assert layers.getboolean("exhaustive")
    named = set(re.findall(r"\w+", layers["layers"]))
    rooms = {path.name.removesuffix(".py") for path in (ROOT / "src" / package).iterdir() if is_room(path)}
    assert rooms - named == set()


def is_room(path: Path) -> bool:
    """Whether `path` is a package or module other than its `__init__`."""
    return (path / "__init__.py").exists() or (path.suffix == ".py" and path.name != "__init__.py")


def test_the_edge_proxies_play_alone_to_the_game_port() -> None:
    """The block is the one that the protocol's specification gives; metrics stay private."""
    caddyfile = (ROOT / "deploy" / "Caddyfile").read_text(encoding="utf-8")
    usual = re.sub(r"\{\$\w+:([^}]*)\}", r"\1", re.sub(r"#.*", "", caddyfile))
    directives = " ".join(usual.split())
    assert "handle /play { reverse_proxy 127.0.0.1:8090 }" in directives
    assert directives.count("8090") == 1


def test_links_between_the_pages_lead_somewhere() -> None:
    broken = [
        f"{page.relative_to(ROOT)} -> {target}"
        for page in tracked_files()
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_every_page_is_in_the_index_of_the_docs() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    records = {record.name for record in (ROOT / "docs" / "decisions").glob("*.md")}
    assert {name for name in pages | records if name not in index} == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_of_the_house_is_on_the_map(package: str) -> None:
    """The house map names each module in backticks, with or without its `.py`."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    files = [path for path in (ROOT / "src" / package).rglob("*.py") if "migrations" not in path.parts]
    missing = [
        str(path.relative_to(ROOT))
        for path in files
        if path.name != "__init__.py" and not re.search(rf"`{re.escape(path.stem)}(?:\.py)?`", page)
    ]
    assert missing == []


def test_the_wheel_holds_all_packages_and_the_migrations(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=100,
    )
    (wheel,) = tmp_path.glob("agentbbs-*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    sources = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*") if is_shipped(path)}
    assert {name.split("/")[0] for name in sources} == set(PACKAGES)
    assert any(name.startswith("agentbbs/store/migrations/versions/") for name in sources)
    assert sources - packed == set()


def is_shipped(path: Path) -> bool:
    """Whether a file under src is part of the program: all are, save what Python leaves behind."""
    return path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
