"""The page of scores, as a parser of HTML reads it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from bbs_gym.scoring.html import score_page
from bbs_gym.scoring.plots import PlotPoint, PlotRow, figure, interval_plot, told
from bbs_gym.scoring.result import CheckResult, Interval, Judgement, MatchScore, ParticipantScore, Skill
from bbs_gym.scoring.table import compare

EVIL = "<script>alert(1)</script>\"'&\x1b[2J\u202e</title><img src=x onerror=y>"
VOID_TAGS = {"meta", "line", "circle"}


class Reader(HTMLParser):
    """Every tag with its attributes, every text, and whether all that is opened is closed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID_TAGS:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def evil_runs() -> list[MatchScore]:
    def one(agent: str, score: float) -> ParticipantScore:
        return ParticipantScore(
            agent_id=agent + EVIL,
            model=EVIL + agent,
            stop_reason=EVIL,
            infra_suspect=EVIL,
            cost_usd=score / 100,
            skill=Skill(game=EVIL, score=score, rank=1, parts={EVIL: 1.0}),
            checks=(CheckResult(name=EVIL, passed=True, detail=EVIL),),
            judgements=(
                Judgement(judge=EVIL, rubric=EVIL, mark=0.5, reason=EVIL),
                Judgement(
                    judge=EVIL, rubric=EVIL, mark=0.5, against="ba"["ab".index(agent)] + EVIL, swapped_agree=True
                ),
            ),
        )

    return [
        MatchScore(
            match_id=f"{EVIL}{seed}", name=EVIL, seed=seed, participants=(one("a", 10 + seed), one("b", 20 - seed))
        )
        for seed in range(6)
    ]


def test_every_text_is_escaped_and_nothing_runs_or_is_fetched() -> None:
    page = score_page(compare(evil_runs()), title=EVIL)
    reader = read(page)
    tags = {tag for tag, _ in reader.tags}
    assert tags <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "div", "table", "thead", "tbody", "tr", "th",
        "td", "figure", "figcaption", "svg", "g", "text", "line", "circle",
    }  # fmt: skip
    names = {name for _, attributes in reader.tags for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in {"src", "href", "style"}}
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "url(" not in page
    shown = "".join(reader.texts)
    assert "<script>alert(1)</script>" in shown
    assert any(
        attributes.get("content") == "default-src 'none'; style-src 'unsafe-inline'" for _, attributes in reader.tags
    )


def test_it_has_the_plots_and_both_looks() -> None:
    page = score_page(compare(evil_runs()))
    assert page.count("<svg") >= 4
    assert "prefers-color-scheme:dark" in page
    reader = read(page)
    circles = [attributes.get("class") for tag, attributes in reader.tags if tag == "circle"]
    assert circles.count("point marked") == 12
    assert circles.count("mean") >= 8
    assert all(attributes.get("aria-label") for tag, attributes in reader.tags if tag == "svg")


def test_a_page_of_nothing_is_a_page() -> None:
    reader = read(score_page(compare([])))
    assert not [tag for tag, _ in reader.tags if tag == "svg"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0"),
        (0.5, "0.5"),
        (0.123456, "0.123"),
        (12.5, "12.5"),
        (1234567.0, "1,234,567"),
        (-3.0, "-3"),
        (1e-6, "0.000001"),
    ],
)
def test_figures_as_people_read_them(value: float, shown: str) -> None:
    assert figure(value) == shown


def test_an_interval_is_told_only_where_there_is_one() -> None:
    assert told(Interval(5.0, 5.0, 5.0, 1, 0.0)) == "5 (n 1)"
    assert told(Interval(5.0, 4.0, 6.5, 3)) == "5 (4 to 6.5, n 3)"
    assert told(None) == "\u2013"


@pytest.mark.parametrize("value", [0.0, -5.0, 1e-9, 1e15, 42.0])
def test_plots_of_one_value_have_an_axis(value: float) -> None:
    plot = interval_plot("t", [PlotRow(label="a", interval=None, points=(PlotPoint(value, "p"),))])
    assert 'class="tick"' in plot
    assert "nan" not in plot
    assert interval_plot("t", [PlotRow(label="a", interval=None)]) == ""
