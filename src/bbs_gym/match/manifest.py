"""`manifest.json`: what a match was made of, to be told again and compared. One a run; it holds no secret."""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import msgspec

from bbs_gym.hosts.host import Host, Snapshot
from bbs_gym.match.roster import Entrant
from bbs_gym.match.settings import MatchSettings
from tty_agent.activity.activity import ActivityProfile
from tty_agent.activity.routes import RouteSet
from tty_agent.models.redaction import without_secrets
from tty_agent.prompts.prompts import system_text
from tty_agent.runner.record import profile_record

FILE_NAME: Final = "manifest.json"

MANIFEST_SCHEMA_VERSION: Final = 1
"""Raised when a field is renamed, goes or changes its meaning."""

GIT_S: Final = 5.0
"""For a commit's name; one that takes longer is left out."""

PACKAGES: Final = (
    "agentbbs", "aiohttp", "anthropic", "asyncssh", "msgspec", "openai", "ray", "structlog", "typer", "uvloop",
)  # fmt: skip
"""Those whose versions can make a difference, where they are installed."""

_FILE_MODE: Final = 0o600


def manifest(
    settings: MatchSettings,
    entrants: tuple[Entrant, ...],
    host: Host,
    *,
    match_id: str,
    created_at: str,
    snapshot: Snapshot | None,
    world: Mapping[str, Any],
) -> dict[str, Any]:
    """All of it, as plain JSON values."""
    profiles = {profile.name: profile for entrant in entrants for profile in entrant.profiles}
    door = settings.door
    return {
        "schema_version": MANIFEST_SCHEMA_VERSION,
        "match_id": match_id,
        "name": settings.name,
        "seed": settings.seed,
        "created_at": created_at,
        "software": software(),
        "git_commit": git_commit(),
        "host": {
            "kind": host.kind,
            "version": getattr(host, "version", None),
            "snapshot": plain(snapshot) if snapshot is not None else None,
            "world": dict(world),
        },
        "seeds": {
            "match": settings.seed,
            "door": (settings.seed if door.seed is None else door.seed) if door is not None and door.reset else None,
        },
        "policies": {
            "scheduler": settings.scheduler,
            "order": settings.order,
            "reconnect": plain(settings.reconnect),
            "budgets": plain(settings.budgets),
            "disabled_actions": list(settings.disabled_actions),
        },
        "participants": [_participant(entrant) for entrant in entrants],
        "profiles": {name: _profile(profile) for name, profile in sorted(profiles.items())},
        "settings": plain(settings_told(settings)),
    }


def write_manifest(folder: Path, content: Mapping[str, Any]) -> Path:
    """Write it once, whole or not at all. Raises OSError; FileExistsError for a folder that has one."""
    place = folder / FILE_NAME
    draft = folder / f".{FILE_NAME}"
    text = msgspec.json.format(msgspec.json.encode(content, enc_hook=str), indent=2) + b"\n"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW
    with os.fdopen(os.open(draft, flags, _FILE_MODE), "wb") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.link(draft, place)  # which, other than a rename, takes the place of nothing
    draft.unlink()
    return place


def settings_told(settings: MatchSettings) -> MatchSettings:
    """The settings without what may be a secret in a model's."""
    roster = tuple(msgspec.structs.replace(one, model=without_secrets(one.model)) for one in settings.participants)
    return msgspec.structs.replace(settings, participants=roster)


def plain(value: object) -> Any:
    """As a reader of JSON gets it."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=str))


def software() -> dict[str, str]:
    """Versions, as strings."""
    found = {"python": platform.python_version(), "system": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue  # it is not installed, and makes no difference
    return found


def git_commit(folder: Path | None = None) -> str | None:
    """The commit that this package's files are of, `-dirty` behind it if they were changed; None where they stand in no
    repository, or there is no git."""
    git = shutil.which("git")
    if git is None:
        return None
    at = folder or Path(__file__).parent
    command = [git, "-C", str(at), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=GIT_S, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip() or None


def _participant(entrant: Entrant) -> dict[str, Any]:
    config = plain(entrant.model)
    told = {name: value for name, value in config.items() if value not in (None, "", False, [], {})}
    activity = entrant.activity
    return {
        "agent_id": entrant.agent_id,
        "alias": entrant.account.alias,
        "model": without_secrets(told),
        "profile": activity.name if isinstance(activity, ActivityProfile) else None,
        "route_set": activity.name if isinstance(activity, RouteSet) else None,
        "objective": entrant.objective,
        "objective_sha256": _sha256(entrant.objective.encode()),
        "transport": entrant.transport,
        "node": entrant.node,
        "budget": plain(entrant.budget),
    }


def _profile(profile: ActivityProfile) -> dict[str, Any]:
    """What it tells and allows, and what its prompts begin with, as hashes."""
    record = profile_record(profile)
    schema = msgspec.json.encode(profile.policy.schema(), order="sorted")
    return {
        **plain(record),
        "system_sha256": _sha256(system_text(profile.policy, profile.system_guidance).encode()),
        "schema_sha256": _sha256(schema),
    }


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
