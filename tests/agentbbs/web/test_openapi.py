"""The OpenAPI document: right by its own rules, whole, and the same as what is served; and the page made from it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest

from agentbbs.store.database import Database
from agentbbs.web.api.errors import ERRORS
from agentbbs.web.api.field_docs import field_docs
from agentbbs.web.api.openapi import document, operation_id
from agentbbs.web.api.operation import Call, Operation, Query
from agentbbs.web.api.schema_words import words
from agentbbs.web.pages.api import curl

from .html import valid
from .site import PUBLIC_URL, Site

DOCUMENT = "/api/v1/openapi.json"


@pytest.fixture(scope="module")
def described(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The document of a site with every operation that there is."""

    async def fetched() -> Any:
        database = Database(f"sqlite:///{shutil.copy(migrated, tmp_path_factory.mktemp('described') / 'venue.db')}")
        async with Site(database.open(), None).served() as site:
            status, headers, text = await site.ask("GET", DOCUMENT)
            assert (status, headers["content-type"]) == (200, "application/json")
            return json.loads(text)

    return asyncio.run(fetched())


def operations(document_: Any) -> Iterator[tuple[str, str, Any]]:
    for path, methods in document_["paths"].items():
        for method, one in methods.items():
            yield method, path, one


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield inner
            yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


def test_it_is_right_by_the_rules_of_openapi(described: Any) -> None:
    from schemathesis.specs.openapi.definitions import OPENAPI_31_VALIDATOR  # noqa: PLC0415 - takes a second to load

    OPENAPI_31_VALIDATOR.validate(described)


def test_every_schema_is_one(described: Any) -> None:
    from jsonschema_rs import meta  # noqa: PLC0415 - as above

    for name, schema in described["components"]["schemas"].items():
        meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
        assert re.fullmatch(r"[A-Za-z0-9]+", name), "no two types of different rooms have one name"


def test_it_refers_to_nothing_elsewhere_and_to_nothing_that_is_not_there(described: Any) -> None:
    for reference in references(described):
        assert reference.startswith("#/")
        there = described
        for part in reference[2:].split("/"):
            there = there[part]
    used = set(references(described))
    for kind in ("schemas", "responses", "headers"):
        for name in described["components"][kind]:
            assert f"#/components/{kind}/{name}" in used, "nothing is there for nobody"


def test_every_operation_says_everything_that_it_can_answer(described: Any) -> None:
    ids = [one["operationId"] for _, _, one in operations(described)]
    assert len(ids) == len(set(ids))
    for method, path, one in operations(described):
        answers = set(one["responses"])
        assert {"400", "401", "429", "500", "503"} <= answers
        assert ("304" in answers) == (method == "get" and "text/event-stream" not in str(one["responses"]["200"]))
        assert ("404" in answers) >= ("{" in path)
        assert (answers >= {"413", "415"}) == ("requestBody" in one) == bool(answers & {"413", "415"})
        assert set(re.findall(r"{(\w+)}", path)) == {p["name"] for p in one["parameters"] if p["in"] == "path"}
        assert one["description"]
        assert not one["summary"].endswith(".")
        assert one["tags"][0] in {tag["name"] for tag in described["tags"]}
        for answer in one["responses"].values():
            if "$ref" not in answer:
                assert {"RateLimit", "RateLimit-Policy"} <= set(answer["headers"])
    for name, answer in described["components"]["responses"].items():
        narrowed = answer["content"]["application/json"]["schema"]["allOf"][1]
        assert narrowed["properties"]["error"]["properties"]["code"]["enum"] == name.split("-or-")
        assert ("Retry-After" in answer["headers"]) == (name == "rate_limited")


def test_what_is_not_known_is_refused_in_every_body_and_every_query(described: Any) -> None:
    for method, path, one in operations(described):
        if "requestBody" in one:
            name = one["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            assert described["components"]["schemas"][name]["additionalProperties"] is False, (method, path)
        for parameter in one["parameters"]:
            assert "null" not in json.dumps(parameter["schema"]), "a parameter is there or it is not"
            if parameter["schema"].get("type") == "integer":
                assert parameter["schema"]["maximum"] < 2**53, "every database takes it"
            if parameter["in"] == "query":
                assert (
                    parameter["schema"].get("type") != "string"
                    or "maxLength" in parameter["schema"]
                    or ("enum" in parameter["schema"])
                ), (path, parameter["name"])


async def test_whoever_wants_a_token_says_so(site: Site, described: Any) -> None:
    for method, path, one in operations(described):
        status, _, _ = await site.ask(method.upper(), re.sub(r"{\w+}", "1", path))
        assert (status == 401) == ({} not in one["security"]), (method, path)


async def test_every_path_of_the_api_that_is_served_is_described(site: Site, described: Any) -> None:
    served = {
        (route.method.lower(), re.sub(r"{(\w+)[^/]*}", r"{\1}", route.resource.canonical))
        for route in site.app.router.routes()
        if route.resource is not None and route.resource.canonical.startswith("/api/v1/")
    }
    found = {(method, path) for method, path, _ in operations(described)}
    assert {one for one in served if one[0] not in {"head", "options"}} == {
        one for one in found if one[1] != "/practice"
    }


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Asked(Query, frozen=True, kw_only=True):
    """A query."""

    limit: Annotated[int, msgspec.Meta(ge=1, le=5, description="How many.")] = 3
    colour: Colour | None = None
    """Which colour."""
    name: Annotated[str, msgspec.Meta(max_length=9, description="A name.")] | None = None
    must: Annotated[str, msgspec.Meta(min_length=1)] = msgspec.field(name="mustBe")


class Base(msgspec.Struct, rename="camel"):
    """A base."""

    first_one: int
    """The first one,
    over two lines."""


class Tree(Base):
    """A type
    that holds itself."""

    children: list[Tree]
    pair: tuple[Colour, Colour]
    by_name: dict[str, Colour | None]
    """By name."""
    bare: int = 0


async def look(_: Call) -> Tree:
    """It looks.

    And it
    sees."""
    raise NotImplementedError


LOOK = Operation(
    method="GET",
    path="/trees/{id}/a-b.json",
    summary="Look at a tree",
    handler=look,
    query=Asked,
    answer=Tree,
    errors=("unknown_game", "url_refused"),
    tag="trees",
    anchors={"id": "[0-9]{1,3}"},
    examples={"id": "7", "limit": 2, "name": "a b"},
)


POSTED = (
    "curl -X POST -H 'Authorization: Bearer TOKEN' -H 'Content-Type: application/json' "
    """-d '{"it'"'"'s": "é"}' https://a.example/api/v1/trees/a%2Fb/a-b.json"""
)


class TestMaking:
    def test_parameters_are_those_of_the_query_and_the_path(self) -> None:
        one = document([LOOK], version="1")["paths"]["/api/v1/trees/{id}/a-b.json"]["get"]
        path, limit, colour, name, must = one["parameters"]
        assert path == {
            "name": "id",
            "in": "path",
            "required": True,
            "description": "Its id, as lists have it.",
            "schema": {"type": "string", "pattern": "^(?:[0-9]{1,3})$"},
            "example": "7",
        }
        assert limit == {
            "name": "limit",
            "in": "query",
            "required": False,
            "schema": {"type": "integer", "minimum": 1, "maximum": 5, "default": 3},
            "description": "How many.",
            "example": 2,
        }
        assert colour["schema"]["enum"] == ["blue", "red"]
        assert colour["description"] == "Which colour."
        assert (name["schema"], name["description"]) == ({"type": "string", "maxLength": 9}, "A name.")
        assert (must["name"], must["required"]) == ("mustBe", True)

    def test_docstrings_are_what_it_says(self) -> None:
        made = document([LOOK], version="1")
        one = made["paths"]["/api/v1/trees/{id}/a-b.json"]["get"]
        assert (one["operationId"], one["description"]) == ("get_trees_id_a_b_json", "It looks. And it sees.")
        assert one["responses"]["200"]["description"] == "A type that holds itself."
        tree = made["components"]["schemas"]["Tree"]
        assert tree["properties"]["firstOne"]["description"] == "The first one, over two lines."
        assert (
            tree["properties"]["by_name" if "by_name" in tree["properties"] else "byName"]["description"] == "By name."
        )
        assert "description" not in tree["properties"]["bare"]

    def test_errors_are_gathered_by_status(self) -> None:
        made = document([LOOK], version="1")
        one = made["paths"]["/api/v1/trees/{id}/a-b.json"]["get"]
        assert one["responses"]["422"] == {"$ref": "#/components/responses/url_refused-or-unknown_game"}
        answer = made["components"]["responses"]["url_refused-or-unknown_game"]
        assert ERRORS["unknown_game"].meaning in answer["description"]
        assert set(one["responses"]) == {"200", "304", "400", "401", "404", "422", "429", "500", "503"}

    def test_the_root_has_a_name(self) -> None:
        assert operation_id(msgspec.structs.replace(LOOK, path="/")) == "get_venue"

    def test_fields_of_what_has_no_source_have_no_docs(self) -> None:
        assert field_docs(int) == {}
        assert field_docs(msgspec.defstruct("Made", [("x", int)])) == {}


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 9}, "text of 1 to 9 characters"),
        ({"type": "string", "maxLength": 9}, "text of up to 9 characters"),
        ({"type": "integer", "minimum": 0}, "whole number, 0 or more"),
        ({"type": "integer", "minimum": 1, "maximum": 2**53 - 1}, "whole number, 1 or more"),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, "number or null"),
        ({"enum": ["a", "b"]}, "a or b"),
        ({"const": "a"}, "a"),
        ({"type": "array", "items": {"$ref": "#/x/Tree"}}, "list of Tree"),
        ({"type": "array", "prefixItems": [{"type": "string"}] * 2, "items": False}, "list of 2 text"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "object by name, of true or false"),
        ({}, "anything"),
    ],
)
def test_a_schema_in_words(schema: dict[str, Any], said: str) -> None:
    assert "".join(word.text for word in words(schema)) == said


@pytest.mark.parametrize(
    ("changed", "command"),
    [
        ({}, "curl 'https://a.example/api/v1/trees/7/a-b.json?limit=2&name=a+b'"),
        ({"examples": {}}, "curl https://a.example/api/v1/trees/id/a-b.json"),
        (
            {"method": "POST", "wants_token": True, "body_example": {"it's": "é"}, "examples": {"id": "a/b"}},
            POSTED,
        ),
        (
            {"media_type": "text/event-stream", "examples": {"id": "7"}},
            "curl -N https://a.example/api/v1/trees/7/a-b.json",
        ),
    ],
)
def test_a_command_to_paste(changed: dict[str, Any], command: str) -> None:
    assert curl(msgspec.structs.replace(LOOK, **changed), "https://a.example") == command


class TestPage:
    async def test_it_shows_every_operation_with_a_command(self, site: Site, described: Any) -> None:
        status, _, text = await site.ask("GET", "/api")
        page = valid(text)
        assert status == 200
        for method, path, one in operations(described):
            assert f"{method.upper()} {path}" in page.text
            assert one["summary"] in page.text
        assert page.text.count(f"{PUBLIC_URL}/") > len(list(operations(described)))
        for code, info in ERRORS.items():
            assert code in page.text
            assert info.remedy.replace("`", "") in page.text
        assert len(text) < 100_000

    async def test_its_types_are_on_a_page_of_their_own(self, site: Site, described: Any) -> None:
        status, _, text = await site.ask("GET", "/api/types")
        page = valid(text)
        assert status == 200
        names = set(described["components"]["schemas"])
        assert names <= set(page.texts("h2"))
        for link in valid((await site.ask("GET", "/api"))[2]).links:
            if link.startswith("/api/types#"):
                assert link.partition("#")[2] in names
        assert len(text) < 100_000

    @pytest.mark.parametrize("path", ["/api", "/api/types"])
    async def test_who_has_it_is_not_sent_it_again(self, site: Site, path: str) -> None:
        _, headers, _ = await site.ask("GET", path)
        assert (await site.ask("GET", path, headers={"If-None-Match": headers["etag"]}))[0] == 304
