"""Somebody at a browser: keeps cookies, reads forms off pages, sends them back."""

from __future__ import annotations

from http.cookies import Morsel, SimpleCookie
from typing import Final
from urllib.parse import urlencode

from .html import Page, valid
from .site import PUBLIC_URL, Site

SESSION: Final = "__Host-agentbbs"
FORM: Final = "__Host-agentbbs-form"
FORM_TYPE: Final = "application/x-www-form-urlencoded"


class Answer:
    """What came back. `page` is read as the standard reads it, and checked."""

    def __init__(self, status: int, headers: dict[str, str], text: str, cookies: dict[str, Morsel[str]]) -> None:
        self.status = status
        self.headers = headers
        self.text = text
        self.cookies = cookies

    @property
    def page(self) -> Page:
        return valid(self.text)

    @property
    def leads_to(self) -> str:
        """Where the browser goes next."""
        assert self.status == 303, (self.status, self.text)
        return self.headers["location"]

    def form_key(self) -> str:
        """The key of the forms on the page."""
        keys = {one.get("value", "") for one in self.page.all("input") if one.get("name") == "form_key"}
        assert len(keys) == 1, keys
        return keys.pop()

    def field(self, name: str) -> str:
        """What stands in a field."""
        (found,) = [one for one in self.page.all("input", "textarea") if one.get("name") == name]
        return found.get("value", "") if found.tag == "input" else (found.text or "")


class Visitor:
    """One browser."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.cookies: dict[str, str] = {}

    async def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        return await self._ask("GET", path, dict(headers or {}), None)

    async def post(
        self,
        path: str,
        fields: dict[str, str] | None = None,
        *,
        key: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Send a form with `fields`, from a page of this site; the key comes from `/sign-in` where none is given."""
        if key is None:
            key = (await self.get("/sign-in")).form_key()
        data = urlencode({"form_key": key, **(fields or {})}).encode()
        own = {"Content-Type": FORM_TYPE, "Origin": PUBLIC_URL, "Sec-Fetch-Site": "same-origin"}
        return await self._ask("POST", path, {**own, **(headers or {})}, data)

    async def send(self, path: str, data: bytes, headers: dict[str, str]) -> Answer:
        """A POST as it stands."""
        return await self._ask("POST", path, headers, data)

    async def sign_in(self, name: str, then: str = "account") -> Answer:
        """By a token of the account of that name, which is made if need be."""
        answer = await self.post("/sign-in", {"token": self._site.token(name), "then": then})
        assert answer.status == 303, answer.text
        return answer

    async def _ask(self, method: str, path: str, headers: dict[str, str], data: bytes | None) -> Answer:
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        status, found, text, set_cookies = await self._site.exchange(method, path, headers=headers, data=data)
        given: dict[str, Morsel[str]] = {}
        for line in set_cookies:
            given.update(SimpleCookie(line).items())
        for name, morsel in given.items():
            if morsel["max-age"] == "0":
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = morsel.value
        return Answer(status, found, text, given)
