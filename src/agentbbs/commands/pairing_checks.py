"""Why an agent is not paired: the venue, its account, its tokens, the lobby, looked at in that order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agentbbs.commands import output, running
from agentbbs.commands.finding import Finding, fail, ok, warn
from agentbbs.commands.running import Live, Waiting
from agentbbs.play.pairing import WIDENS_PER_S
from agentbbs.store.accounts import Account
from agentbbs.store.tokens import TokenInfo


def venue(address: str) -> Iterator[Finding]:
    """Whether it answers, and pairs. Raises running.NoVenue if it does not answer."""
    health = running.health(address)
    said = f"The venue at {address} answers: version {health.version}, {health.live} live, {health.waiting} waiting."
    if health.status == "stopping":
        yield fail("venue", f"{said} It is stopping and pairs nobody.", "Start it again, or wait until it is.")
    elif health.status != "ok":
        remedy = "Look at the disk and the database; the matches are kept and retried."
        yield warn("venue", f"{said} It can't store {health.unstored} finished matches.", remedy)
    else:
        yield ok("venue", said)


def tokens(account: Account, found: Sequence[TokenInfo], keys: int, now_ms: int) -> Finding:
    """Whether the account can get in at all."""
    name = account.name
    valid = [token for token in found if token.revoked_ms is None]
    mint = f"`agentbbs mint-token {name}`, and give the token to the agent."
    if not valid and keys:
        return ok("account", f"{name} has no token and {keys} SSH key{'' if keys == 1 else 's'}: it can come over SSH.")
    if not found:
        return fail("account", f"{name} has no token.", mint)
    if not valid:
        last = max(token.revoked_ms or 0 for token in found)
        return fail("account", f"All tokens of {name} are revoked, the last {output.ago(last, now_ms)}.", mint)
    used = [token.last_used_ms for token in valid if token.last_used_ms is not None]
    count = f"{len(valid)} valid token{'' if len(valid) == 1 else 's'}"
    if not used:
        remedy = f"Check that the agent sends it (AGENTBBS_TOKEN), or mint another: {mint}"
        return warn("account", f"{name} has {count}, never used (uses show within seconds).", remedy)
    return ok("account", f"{name} has {count}, last used {output.ago(max(used), now_ms)}.")


def lobby(queue: Sequence[Waiting]) -> Iterator[Finding]:
    """Who waits for which game."""
    if not queue:
        yield ok("lobby", "Nobody waits.")
    for game in sorted({entry.game for entry in queue}):
        here = [f"{entry.name} (since {entry.waited_s:.0f} s)" for entry in queue if entry.game == game]
        more = "" if len(here) <= 10 else f" and {len(here) - 10} more"
        yield ok("lobby", f"{len(here)} wait{'s' if len(here) == 1 else ''} for {game}: {', '.join(here[:10])}{more}.")


def pairing(account: Account, game: str | None, queue: Sequence[Waiting], live: Sequence[Live]) -> Iterator[Finding]:
    """Why an account has no opponent now, in `game` or in whatever it waits for."""
    name = account.name
    playing = [match for match in live if name in match.players and game in (None, match.game)]
    for match in playing:
        yield ok("pairing", f"{name} plays {match.game} now: `agentbbs watch {match.match}`.")
    mine = [entry for entry in queue if entry.account == account.id]
    wanted = [entry for entry in mine if game in (None, entry.game)]
    if wanted:
        longest = {entry.game: entry for entry in reversed(wanted)}
        for waited_for, entry in sorted(longest.items()):
            yield _why_waiting(entry, [other for other in queue if other.game == waited_for])
    elif mine:
        games = ", ".join(sorted({entry.game for entry in mine}))
        yield fail("pairing", f"{name} waits for {games}, not for {game}.", f"Have the agent join {game}.")
    elif not playing:
        yield fail(
            "pairing",
            f"No connection of {name} waits or plays.",
            "Start the agent; it is queued once it has sent `join`. After a match it must join again within 30 s.",
        )


def _why_waiting(entry: Waiting, queue: Sequence[Waiting]) -> Finding:
    """Why an entry has not been paired with any of those who wait for the same game."""
    since = f"{entry.name} has waited for {entry.game} for {entry.waited_s:.0f} s"
    others = [other for other in queue if other.account != entry.account]
    if not others:
        if len(queue) > 1:
            return fail(
                "pairing",
                f"{since}: only connections of its own account wait, and they never meet.",
                "Give the other agent an account of its own: `agentbbs mint-token NAME --create`.",
            )
        return warn(
            "pairing",
            f"{since}: nobody else waits for it.",
            'Start a second agent, or practise: add "practice":"minimax" to the join.',
        )
    nearest = min(others, key=lambda other: abs(other.rating - entry.rating) - max(other.window, entry.window))
    gap = abs(nearest.rating - entry.rating)
    window = max(nearest.window, entry.window)
    if gap > window:
        opens_s = (gap - window) / WIDENS_PER_S
        return warn(
            "pairing",
            f"{since}: {nearest.name} is {gap} points away, the window is {window} points wide.",
            f"It opens in {opens_s:.0f} s.",
        )
    return ok("pairing", f"{since}, and {nearest.name} is {gap} points away: they meet within a second.")
