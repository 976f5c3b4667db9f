"""What a prompt looks like, whatever its words are. `|` marks the cursor."""

from __future__ import annotations

import pytest

from tty_agent.observer.prompt_shape import looks_like_prompt

PROMPTS = (
    "login: |",
    "Password:|",
    "$ |",
    "root@host:~# |",
    "tcsh% |",
    ">>> |",
    "(gdb) |",
    "[Hit a key] |",
    "Your choice [Q]: |",
    "Command (?=Help)? |",
    "Save the file? (Y/n) |",
    "Send it now? [Yes] No |",
    "Send it now? Yes [No]|",
    "--More--|",
    "-- more 45% --|",
    ":|",
    "Name: |__________",
    "\u2502 Name: |             \u2502",
    "\u276f |",
)

OTHERS = (
    "|",
    "   |",
    "The sun sets|",
    "Loading...|",
    "Loading... 45%|",
    "Are you |sure?",
    "Score: 100|",
    "Who goes there?        |",
    "login: bob|",
    "Total     |  $ 5",
    "Is it late? Yes it is, so go to bed now and sleep until the morning|",
    "-----------|",
)


@pytest.mark.parametrize("row", PROMPTS)
def test_a_prompt(row: str) -> None:
    assert looks_like_prompt(*row.split("|", 1) if "\u2502" not in row else row.split("|"))


@pytest.mark.parametrize("row", OTHERS)
def test_no_prompt(row: str) -> None:
    assert not looks_like_prompt(*row.split("|", 1))
