"""What an account sees and changes of its own ways in, on its page and over the API: tokens and SSH keys.

Tokens lie on the disks of agents, keys let people in over SSH, sysops among them. So nobody turns a token into more
than a token: keys are changed only by who signed in with one. The exception is an account that has no other way in,
neither key nor password, and no rights beyond anybody's: its token may add the first key.
"""

from __future__ import annotations

import math
import time
from typing import Final

import msgspec

from agentbbs.store import accounts, credentials, keys
from agentbbs.store.accounts import Account
from agentbbs.store.database import Database
from agentbbs.store.keys import KeyFault, KeyTaken, StoredKey
from agentbbs.store.throttle import Throttle
from agentbbs.store.tokens import PREFIX_CHARS, TokenInfo
from agentbbs.web.entry.sessions import SignedIn

BURST: Final = 30
"""Changes that an account may make at once: a fleet gets its tokens. Each is a write, an entry in the audit log, and
has every process forget the tokens that it keeps in memory."""

REFILL_S: Final = 60.0
"""How soon it may make one more."""


class TooManyChanges(Exception):
    """In `wait_s` seconds the account may change something again."""

    def __init__(self, wait_s: int) -> None:
        super().__init__(f"this account has changed very much just now: wait {wait_s} s")
        self.wait_s = wait_s


class KeysAreClosed(Exception):
    """This reader may not change keys; the text says what to do."""


class Minted(msgspec.Struct, frozen=True):
    """A token that was just made: the only time that it is seen."""

    token: str
    info: TokenInfo


class OwnAccount:
    """Looks and changes for whoever proved to be an account."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._throttle = Throttle(burst=BURST, refill_s=REFILL_S, clock=time.monotonic)

    async def account(self, account_id: int) -> Account:
        """The account itself."""
        return await self._database.look_up(accounts.get, account_id)

    async def tokens(self, account_id: int) -> tuple[TokenInfo, ...]:
        """The valid ones, the oldest first."""
        return await self._database.look_up(credentials.valid_tokens, account_id)

    async def keys(self, account_id: int) -> tuple[StoredKey, ...]:
        """All of them, the oldest first."""
        return await self._database.look_up(keys.of_account, account_id)

    async def mint(self, account_id: int) -> Minted:
        """Another token. Raises credentials.TooManyTokens, TooManyChanges."""
        self._take(account_id)
        token = await self._database.write(credentials.mint_token, account_id, now_ms=now_ms())
        known = await self.tokens(account_id)
        return Minted(token, next(info for info in reversed(known) if info.prefix == token[:PREFIX_CHARS]))

    async def revoke(self, account_id: int, token_id: int) -> TokenInfo:
        """End one. Raises credentials.NoSuchOwnToken, TooManyChanges."""
        self._take(account_id)
        return await self._database.write(credentials.revoke_token, account_id, token_id, now_ms=now_ms())

    async def why_keys_are_closed(self, who: SignedIn) -> str | None:
        """Why this reader may not change the account's keys; None if it may."""
        if who.key_id is not None:
            return None
        account = await self.account(who.account)
        if account.sysop:
            return "A sysop's keys are changed by who signed in with one of them."
        if account.password_hash is not None:
            return "You signed in with a token. Keys are changed with a key, or on the board, with your password."
        if await self.keys(who.account):
            return "You signed in with a token. Keys are changed by who signed in with one of them."
        return None

    async def add_key(self, who: SignedIn, line: str) -> StoredKey:
        """Add the key of a `.pub` file. Raises KeyFault, KeysAreClosed, TooManyChanges."""
        await self._require_keys(who)
        key = keys.parse(line)
        self._take(who.account)
        try:
            return await self._database.write(credentials.add_key, who.account, key, now_ms=now_ms())
        except KeyTaken as fault:
            raise await self._taken(who, key.fingerprint) from fault

    async def remove_key(self, who: SignedIn, key_id: int) -> StoredKey:
        """Remove a key. Raises credentials.NoSuchKey, credentials.LastWayIn, KeysAreClosed, TooManyChanges."""
        await self._require_keys(who)
        self._take(who.account)
        return await self._database.write(credentials.remove_key, who.account, key_id, now_ms=now_ms())

    async def _require_keys(self, who: SignedIn) -> None:
        why = await self.why_keys_are_closed(who)
        if why is not None:
            raise KeysAreClosed(why)

    async def _taken(self, who: SignedIn, fingerprint: str) -> KeyFault:
        own = await self.keys(who.account)
        if any(key.fingerprint == fingerprint for key in own):
            return KeyTaken("this account has that key already: nothing to do")
        return KeyTaken(TAKEN)

    def _take(self, account_id: int) -> None:
        wait_s = self._throttle.take(str(account_id))
        if wait_s > 0:
            raise TooManyChanges(math.ceil(wait_s))


TAKEN: Final = "this key is another account's already, and a key says who calls: make one with ssh-keygen -t ed25519"
"""Told to whoever offers a key, without the name of who has it: public keys lie about, and need not lead to names."""


def now_ms() -> int:
    """Unix milliseconds."""
    return time.time_ns() // 1_000_000
