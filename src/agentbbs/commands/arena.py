"""`agentbbs arena …`: the endpoints that the referee of Agent Arena calls, from the operator's side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.arena_register import AsJson, CheckSignature, Name
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from agentbbs.commands.arena_probes import Probed
    from agentbbs.store.endpoints import Endpoint

BY_OPERATOR: Final = "paused by the operator"

OLD_SECRET_HOURS: Final = 24.0
"""How long requests are signed with the former secret too: a day to bring the new one to every machine."""

MAX_OLD_SECRET_HOURS: Final = 24.0 * 30

HOUR_MS: Final = 3_600_000

Games = Annotated[
    list[str] | None,
    typer.Option("--game", "-g", help="Of which game; needed where the account has several endpoints."),
]
NoProbe = Annotated[bool, typer.Option("--no-probe", help="Do not ask the agent for a move first.")]


def list_(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Of this account alone.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON array on stdout.")] = False,
) -> None:
    """List the endpoints: status, why paused, what the newest probe measured. Secrets, and what follows the `?` of
    a URL, are never shown.

    \b
    Example:
      agentbbs arena list --json
    """
    from agentbbs.commands.arena_endpoints import name_of, shown, without_query  # noqa: PLC0415
    from agentbbs.store import accounts, endpoints  # noqa: PLC0415

    with store() as database, database.connect() as conn:
        found = endpoints.every(conn) if name is None else endpoints.of_account(conn, accounts.find(conn, name).id)
    if as_json:
        output.json_list([shown(one) for one in found])
        return
    now_ms = output.now_ms()
    rows = [
        (
            one.name,
            name_of(one.game),
            one.status,
            "" if one.latency_ms is None else f"{one.latency_ms} ms",
            output.ago(one.updated_ms, now_ms),
            without_query(one.url),
            one.why,
        )
        for one in found
    ]
    output.table(("NAME", "GAME", "STATUS", "LATENCY", "CHANGED", "URL", "WHY PAUSED"), rows)


def pause(
    name: Name,
    game: Games = None,
    why: Annotated[str, typer.Option("--why", help="What the owner is told.")] = BY_OPERATOR,
) -> None:
    """Call an endpoint no more until it is resumed; a match that is on is forfeited.

    \b
    Example:
      agentbbs arena pause gremlin --why "moves house until Monday"
    """
    from agentbbs.commands.arena_endpoints import chosen, shown_as  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    with store() as database, database.begin() as conn:
        for one in chosen(conn, name, game):
            endpoints.pause(conn, one.id, why, output.now_ms())
            output.note(f"paused {shown_as(one)}: {why}")


def resume(
    name: Name,
    game: Games = None,
    no_probe: NoProbe = False,
    check_signature: CheckSignature = False,
) -> None:
    """Call a paused endpoint again, once it has answered a probe.

    \b
    Example:
      agentbbs arena resume gremlin
    """
    from agentbbs.commands.arena_endpoints import read_chosen, refusals, shown_as  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    if no_probe and check_signature:
        raise typer.BadParameter("--check-signature needs a probe: leave --no-probe away")
    for one in read_chosen(name, game):
        probed = None if no_probe else _probe_sound(one, one.url, check_signature=check_signature)
        with store() as database, database.begin() as conn, refusals():
            endpoints.resume(conn, one.id, output.now_ms())
            if probed is not None:
                endpoints.note_latency(conn, one.id, probed.result.latency_ms)
        output.note(f"resumed {shown_as(one)}")


def change_url(
    name: Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="The new URL.")],
    game: Games = None,
) -> None:
    """Give an endpoint another URL, which is checked and probed first. Secret and status stay.

    \b
    Example:
      agentbbs arena change-url gremlin https://new.example/play
    """
    from agentbbs.commands.arena_endpoints import read_chosen, refusals, shown_as, without_query  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    for one in read_chosen(name, game):
        probed = _probe_sound(one, url)
        with store() as database, database.begin() as conn, refusals():
            endpoints.change_url(conn, one.id, url, output.now_ms())
            endpoints.note_latency(conn, one.id, probed.result.latency_ms)
        output.note(f"{shown_as(one)} is now called at {without_query(url)}")


def rotate(
    name: Name,
    game: Games = None,
    keep_old: Annotated[
        float,
        typer.Option(
            "--keep-old",
            metavar="HOURS",
            min=0,
            max=MAX_OLD_SECRET_HOURS,
            help="How long requests are signed with the former secret, too.",
        ),
    ] = OLD_SECRET_HOURS,
    as_json: AsJson = False,
) -> None:
    """Make a new secret and print it, this once (for ed25519: its public key).

    \b
    Example:
      agentbbs arena rotate gremlin
    """
    from agentbbs.commands.arena_endpoints import chosen, name_of, shown, shown_as  # noqa: PLC0415
    from agentbbs.commands.arena_register import new_signer  # noqa: PLC0415
    from agentbbs.protocol.signing import Scheme, public_form  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    told = []
    with store() as database, database.begin() as conn:
        now_ms = output.now_ms()
        until_ms = now_ms + round(keep_old * HOUR_MS)
        for one in chosen(conn, name, game):
            scheme = Scheme(one.scheme)
            signer = new_signer(scheme)
            changed = endpoints.rotate(conn, one.id, signer.secret, until_ms, now_ms)
            told.append((changed, public_form(scheme, signer.secret)))
    if as_json:
        output.json_list([{"endpoint": shown(one), "key": key, "oldKeyUntil": until_ms} for one, key in told])
        return
    for one, key in told:
        output.line(key if len(told) == 1 else f"{name_of(one.game)} {key}")
        output.note(f"{shown_as(one)}: the former secret counts for {keep_old:g} h more")


def remove(
    name: Name,
    game: Games = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget an endpoint and its secret; a match that is on is forfeited. The account and its rating stay.

    \b
    Example:
      agentbbs arena remove gremlin --yes
    """
    from agentbbs.commands.arena_endpoints import read_chosen, refusals, shown_as  # noqa: PLC0415
    from agentbbs.commands.user import confirm  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    found = read_chosen(name, game)
    for one in found:
        if not yes and not confirm(f"Remove {shown_as(one)}? Its secret is lost."):
            raise Failed("nothing was removed")
    with store() as database, database.begin() as conn, refusals():
        for one in found:
            endpoints.remove(conn, one.id, output.now_ms())
            output.note(f"removed {shown_as(one)}")


def probe(name: Name, game: Games = None, check_signature: CheckSignature = False, as_json: AsJson = False) -> None:
    """Ask an endpoint for one move, and tell what came of it. Exit code 1 if it failed.

    \b
    Example:
      agentbbs arena probe gremlin
    """
    from agentbbs.commands.arena_endpoints import read_chosen, refusals  # noqa: PLC0415
    from agentbbs.commands.arena_probes import require_sound  # noqa: PLC0415
    from agentbbs.store import endpoints  # noqa: PLC0415

    for one in read_chosen(name, game):
        probed = _probe(one, one.url, check_signature=check_signature, quiet=as_json)
        if probed.result.ok:
            with store() as database, database.begin() as conn, refusals():
                endpoints.note_latency(conn, one.id, probed.result.latency_ms)
        require_sound((probed,), as_json=as_json)
        if as_json:
            output.json_value(probed.as_json())
        else:
            output.line(output.cell(probed.sentence))


def _probe_sound(endpoint: Endpoint, url: str, *, check_signature: bool = False) -> Probed:
    """The result of a probe that passed. Raises Failed."""
    from agentbbs.commands.arena_probes import require_sound  # noqa: PLC0415

    probed = _probe(endpoint, url, check_signature=check_signature)
    require_sound((probed,))
    output.note(probed.sentence)
    return probed


def _probe(endpoint: Endpoint, url: str, *, check_signature: bool = False, quiet: bool = False) -> Probed:
    """What `url` answers in the place of the endpoint. Raises Failed."""
    from agentbbs.commands.arena_endpoints import game_of, signers_of  # noqa: PLC0415
    from agentbbs.commands.arena_probes import Question, probe_all  # noqa: PLC0415
    from agentbbs.config import Settings  # noqa: PLC0415

    question = Question(
        name=endpoint.name,
        account=endpoint.account_id,
        url=url,
        games=(game_of(endpoint),),
        signers=signers_of(endpoint),
        check_signature=check_signature,
    )
    return probe_all(Settings.from_env(), question, quiet=quiet)[0]
