"""`observe-turn`: what an agent would see, on stdout, and why it is its turn, on stderr."""

from __future__ import annotations

import json
from typing import Any

PROGRAM = "pty:sh -c 'printf \"Menu\\n\\nChoose: \"; cat'"


def test_the_screen_as_a_model_sees_it(run: Any) -> None:
    seen = run("observe-turn", "--target", PROGRAM, "--quiet-ms", 100)
    assert (seen.exit_code, seen.stdout) == (0, "Menu\n\nChoose:\n")
    assert seen.stderr.startswith("stable after ")
    assert "cursor at row 2, column 8" in seen.stderr


def test_the_whole_observation_as_json(run: Any) -> None:
    seen = json.loads(run("observe-turn", "--target", PROGRAM, "--quiet-ms", 100, "--json", "--rows", 10).stdout)
    assert (seen["rows"], seen["cursor"], seen["ready_reason"]) == (10, [2, 8], "stable")
    assert seen["metadata"]["transport"] == "pty"


def test_the_low_level_read(run: Any) -> None:
    seen = json.loads(run("observe-turn", "--target", PROGRAM, "--seconds", 0.3, "--json").stdout)
    assert 250 <= seen["readiness"]["waited_ms"] <= 2000
    assert "Choose:" in seen["pretty_screen"]


def test_a_program_that_writes_nothing_leaves_a_blank_screen(run: Any) -> None:
    seen = json.loads(run("observe-turn", "--target", "pty:sleep 9", "--turn-timeout", 0.5, "--json").stdout)
    assert (seen["ready_reason"], seen["readiness"]["timeout_ms"]) == ("blank", 500)
    assert (
        seen["readiness"]["detail"] == "nothing is on the screen, and nothing came until the limit of the turn passed"
    )


def test_a_program_that_is_gone_says_so(run: Any) -> None:
    seen = run("observe-turn", "--target", "pty:sh -c 'echo bye'")
    assert seen.exit_code == 0
    assert "bye" in seen.stdout
    assert "closed" in seen.stderr


def test_what_the_program_writes_cannot_act_on_my_terminal(run: Any) -> None:
    seen = run(
        "observe-turn", "--target", "pty:sh -c 'printf \"\\033]0;title\\007a\\342\\200\\256b\"; cat'", "--pretty"
    )
    assert "\x1b" not in seen.output
    assert "a\\u202eb" in seen.stdout or "ab" in seen.stdout


def test_a_wrong_target_is_a_wrong_call(run: Any) -> None:
    refused = run("observe-turn", "--target", "telnet:host:port")
    assert refused.exit_code == 2
    assert "no port" in refused.stderr


def test_a_time_without_end_is_a_wrong_call(run: Any) -> None:
    refused = run("observe-turn", "--target", "pty:sh", "--seconds", "inf")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "for '--seconds': inf is more than it can be" in refused.stderr
