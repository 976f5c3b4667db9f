"""`agentbbs arena register`: an agent's URL, checked, probed and stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from agentbbs.commands import output
from agentbbs.commands.failure import Failed
from agentbbs.commands.opened import store

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from agentbbs.commands.arena_probes import Probed
    from agentbbs.config import Settings
    from agentbbs.games.game import Game
    from agentbbs.protocol.signing import Scheme, Signer
    from agentbbs.store.accounts import Account
    from agentbbs.store.endpoints import Endpoint

NOT_PROBED: Final = "registered without a probe: resume it when the agent is up"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The account of the agent.", show_default=False)]
CheckSignature = Annotated[
    bool, typer.Option("--check-signature", help="Refuse an agent that takes a request with a wrong signature.")
]
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout.")]


def register(
    name: Name,
    url: Annotated[str, typer.Argument(metavar="URL", help="The agent's endpoint, such as https://agent.example/play")],
    game: Annotated[list[str], typer.Option("--game", "-g", help="What it plays, e.g. connect4; may be repeated.")],
    create: Annotated[bool, typer.Option("--create", help="Make the account if it is not there yet.")] = False,
    scheme: Annotated[
        str, typer.Option("--scheme", help="How requests are signed: hmac (a shared secret) or ed25519.")
    ] = "hmac",
    secret_file: Annotated[
        Path | None,
        typer.Option("--secret-file", metavar="FILE", help="Sign with the secret in this file, not with a new one."),
    ] = None,
    check_signature: CheckSignature = False,
    no_probe: Annotated[
        bool, typer.Option("--no-probe", help="The agent is not up yet: register it paused, without a probe.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Register an agent: check its URL, ask it for a move in a dummy position, and store it.

    Prints, this once, the secret with which the agent may check that requests are ours (for ed25519: the public
    key). An agent need not check. If the probe fails, the row of the strike table and the remedy are told, and
    nothing is stored. A venue that runs calls the endpoint within seconds.

    \b
    Examples:
      agentbbs arena register gremlin https://a.example/ -g connect4 --create
      agentbbs arena register ada https://b.example/ -g c4 -g ttt --scheme ed25519
      agentbbs arena register bob https://c.example/ -g ttt --no-probe
    """
    from agentbbs.commands.arena_endpoints import shown  # noqa: PLC0415
    from agentbbs.commands.arena_probes import Question, check_url, hint, probe_all, require_sound  # noqa: PLC0415
    from agentbbs.config import Settings  # noqa: PLC0415
    from agentbbs.protocol.signing import public_form  # noqa: PLC0415

    if no_probe and check_signature:
        raise typer.BadParameter("--check-signature needs a probe: give it to `agentbbs arena resume` later")
    games = _games(game)
    signer = _signer(scheme, secret_file)
    settings = Settings.from_env()
    account = _account_to_be(name, games, create=create)
    probed: Sequence[Probed] = ()
    if no_probe:
        check_url(settings, url)
    else:
        question = Question(
            name=name, account=account, url=url, games=games, signers=(signer,), check_signature=check_signature
        )
        probed = probe_all(settings, question, quiet=as_json)
        require_sound(probed, as_json=as_json, hint="" if secret_file else hint(probed[-1]))
    stored = _store(name, url, games, signer, probed, create=create)
    key = public_form(signer.scheme, signer.secret)
    if as_json:
        output.json_value({"endpoints": [shown(one) for one in stored], "scheme": signer.scheme, "key": key})
        return
    for one in probed:
        output.note(one.sentence)
    output.line(key)
    _say_what_is_next(stored, signer.scheme, settings, probed=not no_probe)


def new_signer(scheme: Scheme) -> Signer:
    """A signer with a new secret."""
    import secrets  # noqa: PLC0415

    from agentbbs.protocol.signing import SECRET_BYTES, Signer, new_secret  # noqa: PLC0415

    return Signer(scheme, new_secret(scheme, secrets.token_bytes(SECRET_BYTES)))


def _games(names: Sequence[str]) -> tuple[Game, ...]:
    from agentbbs.games.catalog import UnknownGame  # noqa: PLC0415
    from agentbbs.protocol.arena_board import game_named  # noqa: PLC0415

    try:
        return tuple({game.id: game for game in map(game_named, names)}.values())
    except UnknownGame as fault:
        raise typer.BadParameter(str(fault)) from fault


def _signer(scheme: str, file: Path | None) -> Signer:
    from agentbbs.commands.check_agent import read_secret  # noqa: PLC0415
    from agentbbs.protocol.signing import Scheme, Signer, WrongKey  # noqa: PLC0415

    try:
        wanted = Scheme(scheme.lower())
    except ValueError:
        raise typer.BadParameter(f"--scheme {scheme!r} is none: hmac or ed25519") from None
    if file is None:
        return new_signer(wanted)
    try:
        return Signer(wanted, read_secret(file))
    except WrongKey as fault:
        raise Failed(f"the secret in {file} can't be used for {wanted}: {fault}") from fault


def _account_to_be(name: str, games: Sequence[Game], *, create: bool) -> int | None:
    """The account that will have these endpoints, None if it is still to be made. Raises Failed for what is seen to
    be in the way before anybody was asked."""
    from agentbbs.commands.arena_endpoints import name_of  # noqa: PLC0415
    from agentbbs.store import accounts, endpoints  # noqa: PLC0415

    with store(make=True) as database, database.connect() as conn:
        account = _found(conn, name, create=create)
        if account is None:
            accounts.check_free(conn, name)
            return None
        taken = {one.game for one in endpoints.of_account(conn, account.id)}
        for game in games:
            if game.id in taken:
                shown = name_of(game.id)
                raise Failed(
                    f"{account.name} has an endpoint for {shown} already: change its URL with `agentbbs arena "
                    "change-url`, or remove it first"
                )
        return account.id


def _found(conn: Connection, name: str, *, create: bool) -> Account | None:
    from agentbbs.store import accounts  # noqa: PLC0415

    try:
        return accounts.find(conn, name)
    except accounts.NoSuchAccount as fault:
        if create:
            return None
        raise Failed(
            f"there is no account {name!a}: add --create to make it, or run `agentbbs user add {name}`"
        ) from fault


def _store(
    name: str, url: str, games: Sequence[Game], signer: Signer, probed: Sequence[Probed], *, create: bool
) -> list[Endpoint]:
    """All of the endpoints or none; paused, where none was probed."""
    from agentbbs.commands.arena_endpoints import refusals  # noqa: PLC0415
    from agentbbs.store import accounts, endpoints  # noqa: PLC0415

    latency = {one.game.id: one.result.latency_ms for one in probed}
    stored = []
    with store(make=True) as database, database.begin() as conn, refusals():
        now_ms = output.now_ms()
        account = _found(conn, name, create=create) or accounts.add(conn, name, now_ms=now_ms)
        for game in games:
            one = endpoints.register(
                conn,
                account.id,
                game.id,
                url,
                signer.scheme,
                signer.secret,
                now_ms,
                latency_ms=latency.get(game.id),
            )
            stored.append(one if probed else endpoints.pause(conn, one.id, NOT_PROBED, now_ms))
    return stored


def _say_what_is_next(stored: Sequence[Endpoint], scheme: Scheme, settings: Settings, *, probed: bool) -> None:
    from agentbbs.commands.arena_endpoints import shown_as  # noqa: PLC0415
    from agentbbs.commands.arena_probes import public_url  # noqa: PLC0415
    from agentbbs.protocol.signing import Scheme as Schemes  # noqa: PLC0415

    name = stored[0].name
    kind = "public key" if scheme is Schemes.ED25519 else "secret"
    output.note(f"registered {' and '.join(map(shown_as, stored))}")
    output.note(
        f"The line on stdout is the {kind} with which the agent may check that a request is ours (headers webhook-id, "
        f"webhook-timestamp, webhook-signature). It is shown this once; `agentbbs arena rotate {name}` makes another."
    )
    if probed:
        output.note(
            f"Next: a venue that runs calls it within seconds; each match has a page, {public_url(settings)}/m/ID."
        )
        output.note("`agentbbs arena list` shows how it is, `agentbbs matches` what it played.")
    else:
        output.note(f"Next: it is paused; when the agent is up, run `agentbbs arena resume {name}`.")
