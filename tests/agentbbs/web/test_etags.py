"""Who has an answer already, by every form in which a reader may say so."""

from __future__ import annotations

import pytest
from aiohttp.test_utils import make_mocked_request

from agentbbs.web.etags import etag_of, not_modified, page_etag
from agentbbs.web.frame import READER

TAG = etag_of(b"ladder")
STRONG = TAG.removeprefix("W/")


def asked(*named: str, method: str = "GET", path: str = "/ladders/c4") -> bool:
    return not_modified(make_mocked_request(method, path, headers=[("If-None-Match", one) for one in named]), TAG)


def test_a_tag_is_weak_quoted_and_of_its_content() -> None:
    assert TAG.startswith('W/"')
    assert TAG.endswith('"')
    assert etag_of(b"ladder") == TAG != etag_of(b"ladder ")


@pytest.mark.parametrize(
    "named",
    [TAG, STRONG, f'"a", {TAG}', f'W/"a,b",{STRONG},"c"', "*", " * ", f'"", {TAG}'],
)
def test_a_reader_that_has_it_needs_it_no_more(named: str) -> None:
    assert asked(named)
    assert asked(named, method="HEAD")


@pytest.mark.parametrize("named", ["", '"a"', 'W/"a", "b"', STRONG.strip('"'), '"*"', f"'{STRONG[1:-1]}'", '"', "W/"])
def test_a_reader_that_has_something_else_needs_it(named: str) -> None:
    assert not asked(named)


def test_no_header_no_304() -> None:
    assert not asked()


def test_two_headers_are_one_list() -> None:
    assert asked('"a"', TAG)


def test_a_change_is_never_passed_over() -> None:
    assert not asked(TAG, method="POST")


def test_a_page_differs_by_what_it_shows_where_it_is_and_who_reads() -> None:
    request = make_mocked_request("GET", "/ladders/c4")
    elsewhere = make_mocked_request("GET", "/ladders/c4?page=2")
    hers = make_mocked_request("GET", "/ladders/c4")
    hers[READER] = "ada"
    tags = {page_etag(request, 1), page_etag(request, 2), page_etag(elsewhere, 1), page_etag(hers, 1)}
    assert len(tags) == 4
    assert page_etag(request, 1) == page_etag(request, 1)
