"""Runs: how they go, how they end, and what is on record then."""

from __future__ import annotations

import asyncio
import errno
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.tty_agent.run_fakes import FakeTerminal, FakeTime

from tty_agent.actions.action import Action, ActionName, Hangup, PressKey, SubmitLine
from tty_agent.actions.errors import NotTaken, Unencodable
from tty_agent.activity.activity import ActivityProfile, Budget, Detector, PromptMode
from tty_agent.activity.budget import Limit
from tty_agent.activity.completion import FAILED, screen_shows
from tty_agent.activity.profiles import SHELL, STABILITY_ONLY
from tty_agent.memory.memory import CampaignMemory, MemoryItem
from tty_agent.memory.store import CampaignFile
from tty_agent.models.answers import Answer
from tty_agent.models.model import Prompt, ProviderFault, Usage
from tty_agent.models.scripted import Line, ScriptedModel
from tty_agent.runner.memory import RunMemory
from tty_agent.runner.record import RunIdentity
from tty_agent.runner.result import Outcome
from tty_agent.runner.runner import LAST_LOOK_S, ActivityRunner
from tty_agent.runner.settings import RunSettings
from tty_agent.trace import records
from tty_agent.trace.records import DecisionRecord, EventRecord, Header, Record, decode_line, read_trace
from tty_agent.trace.writer import TraceWriter, encode_line
from tty_agent.transcript.transcript import TranscriptFailed
from tty_agent.transports.transport import End, EndKind

P = '{"action": "press_key", "arguments": {"key": "P"}}'
BYE = '{"action": "hangup", "arguments": {}}'
IDENTITY = RunIdentity(run_id="run-1", agent_id="agent-001", match_id="match-1", node=3)


class Played:
    """A run with its records, not begun yet."""

    def __init__(
        self,
        terminal: FakeTerminal,
        *replies: Line,
        profile: ActivityProfile = SHELL,
        model: Any = None,
        time: FakeTime | None = None,
        memory: RunMemory | None = None,
        trace: TraceWriter | None = None,
        **settings: Any,
    ) -> None:
        self.terminal = terminal
        self.time = time or FakeTime()
        self.model: Any = model or ScriptedModel(replies, loop=True)
        self.records: list[Record] = []
        self.runner = ActivityRunner(
            terminal,
            self.model,
            profile,
            identity=IDENTITY,
            settings=RunSettings(**settings),
            memory=memory,
            trace=trace,
            watch=self.records.append,
            clock=self.time.clock,
        )

    @property
    def decisions(self) -> list[DecisionRecord]:
        return [record for record in self.records if isinstance(record, DecisionRecord)]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [record.data for record in self.records if isinstance(record, EventRecord) and record.event == name]


async def test_a_run_looks_first_and_then_acts_until_its_ticks_are_used_up() -> None:
    played = Played(FakeTerminal("Menu\n> ", "Played\n> "), P, budget=Budget(max_decision_ticks=3))
    result = await played.runner.run()
    assert (result.outcome, result.limit, result.steps) == (Outcome.BUDGET, Limit.DECISION_TICKS, 3)
    assert played.terminal.acted == [PressKey("P")] * 3
    assert len(played.terminal.asked) == 4  # the last screen is seen too
    assert result.final_screen == "Played\n> "
    assert result.detail == "decision_ticks: 3 of 3 used"


async def test_every_decision_is_on_record_in_full() -> None:
    played = Played(
        FakeTerminal("Menu\nChoose: ", "Played\n> "),
        Answer(text=f"<think>hm</think>To play. {P}", usage=Usage(input_tokens=90, output_tokens=9)),
        budget=Budget(max_decision_ticks=2),
        run_objective="win the game",
    )
    await played.runner.run()
    header, first = played.records[0], played.decisions[0]
    assert isinstance(header, Header)
    assert (header.run_id, header.match_id, header.node, header.provider) == ("run-1", "match-1", 3, "scripted")
    assert header.profiles["shell"].schema["type"] == "object"
    assert header.budget["max_decision_ticks"] == 2
    assert (first.match_id, first.agent_id, first.node, first.step) == ("match-1", "agent-001", 3, 1)
    assert first.action == {"action": "press_key", "arguments": {"key": "P"}}
    assert first.reply is not None
    assert first.reply.raw.startswith("<think>")
    assert first.reason == "To play."
    assert (first.input_tokens, first.output_tokens, first.spent.decision_ticks) == (90, 9, 1)
    assert "win the game" in first.prompt
    assert "Choose:" in first.prompt
    assert "press_key" in first.system_prompt
    assert (first.active_profile, first.prompt_kind, first.prompt_modules_schema_version) == ("shell", "full", 1)
    assert {"shell_conventions", "active_prompt"} <= {module.name for module in first.prompt_modules}
    assert first.seen().model_text == "Menu\nChoose: "
    assert first.pretty_screen == "Menu\nChoose: "
    assert (first.transcript_byte_start, first.transcript_byte_end) == (0, len("Menu\nChoose: "))
    assert first.timestamp
    assert first.decided_at == "2026-01-31T14:00:00.000Z"


async def test_the_trace_is_what_was_watched(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        played = Played(FakeTerminal("> "), P, BYE, trace=trace)
        result = await played.runner.run()
        assert result.trace_path == str(tmp_path / "trace.jsonl")
    assert list(read_trace(tmp_path / "trace.jsonl")) == [decode_line(encode_line(one)) for one in played.records]
    names = [record.event if isinstance(record, EventRecord) else type(record).__name__ for record in played.records]
    assert names == ["Header", "run_started", "DecisionRecord", "DecisionRecord", "memory_committed", "run_finished"]


async def test_a_watcher_that_fails_is_told_no_more_and_the_run_goes_on(tmp_path: Path) -> None:
    told: list[Record] = []

    def watch(record: Record) -> None:
        told.append(record)
        if len(told) == 3:
            raise BrokenPipeError(errno.EPIPE, "nobody reads")

    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        played = Played(FakeTerminal("> "), P, BYE, trace=trace)
        played.runner._journal._watch = watch
        result = await played.runner.run()
    assert (result.outcome, len(told)) == (Outcome.HANGUP, 3)
    assert len(list(read_trace(tmp_path / "trace.jsonl"))) == 6


async def test_a_reply_that_no_line_can_hold_ends_the_run_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MAX_LINE_BYTES", 20_000)
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        played = Played(FakeTerminal("> "), "x" * 20_000 + P, BYE, trace=trace)
        result = await played.runner.run()
    assert result.infra is not None
    assert (result.infra.kind, "more than a trace takes" in result.infra.message) == ("trace", True)


async def test_a_decision_is_on_record_before_its_action_goes_out() -> None:
    seen: list[int] = []
    played = Played(FakeTerminal("> ", refuse=lambda action: seen.append(len(played.decisions))), P, BYE)
    await played.runner.run()
    assert seen == [1, 2]


async def test_hanging_up_ends_a_run() -> None:
    played = Played(FakeTerminal("> "), P, BYE)
    result = await played.runner.run()
    assert (result.outcome, result.steps) == (Outcome.HANGUP, 2)
    assert played.terminal.acted == [PressKey("P"), Hangup()]


async def test_a_completion_check_ends_a_run_with_its_word() -> None:
    profile = msgspec.structs.replace(SHELL, completion=(screen_shows("You died", FAILED), screen_shows("You won")))
    played = Played(FakeTerminal("> ", "You won\n> "), P, profile=profile)
    result = await played.runner.run()
    assert (result.outcome, result.steps) == ("done", 1)
    assert "You won" in result.detail
    result = await Played(FakeTerminal("You won\nYou died\n> "), P, profile=profile).runner.run()
    assert (result.outcome, result.steps) == ("failed", 0)


async def test_the_screen_of_the_last_tick_may_still_be_the_goal() -> None:
    profile = msgspec.structs.replace(SHELL, completion=(screen_shows("You won"),))
    played = Played(FakeTerminal("> ", "You won\n> "), P, profile=profile, budget=Budget(max_decision_ticks=1))
    assert (await played.runner.run()).outcome == "done"


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [(EndKind.EOF, "closed"), (EndKind.EXITED, "closed"), (EndKind.LOST, "infra"), (EndKind.HUNG_UP, "hangup")],
)
async def test_the_end_of_the_connection_ends_a_run(kind: EndKind, outcome: str) -> None:
    """Case 58: what dies below us is not booked as the agent's failure."""
    played = Played(FakeTerminal("> ", End(kind, "it is gone")), P)
    result = await played.runner.run()
    assert (result.outcome, result.steps) == (outcome, 1)
    assert played.events("disconnected") == [{"kind": str(kind), "detail": "it is gone"}]
    assert bool(played.events("infra")) is (outcome == "infra")
    assert result.spent.validation_failures == 0


async def test_a_repair_is_one_decision() -> None:
    played = Played(FakeTerminal("> "), "P!", P, budget=Budget(max_decision_ticks=1))
    result = await played.runner.run()
    record = played.decisions[0]
    assert record.action is not None
    assert record.repair is not None
    assert record.repair.reply is not None
    assert record.reply is not None
    assert (record.reply.raw, record.repair.reply.raw, record.repair.error_after) == ("P!", P, None)
    assert record.repair.error in record.repair.prompt
    assert '"action": "press_key"' in record.repair.prompt
    assert (result.steps, result.spent.validation_failures, result.spent.calls) == (1, 0, 2)


async def test_a_failed_repair_uses_up_a_tick_and_keeps_the_bad_answers() -> None:
    played = Played(FakeTerminal("> "), "bad", "worse", BYE)
    result = await played.runner.run()
    first, second = played.decisions
    assert first.action is None
    assert first.error
    assert first.reply is not None
    assert first.repair is not None
    assert first.repair.reply is not None
    assert (first.reply.raw, first.repair.reply.raw) == ("bad", "worse")
    assert (result.steps, result.spent.validation_failures) == (2, 1)
    assert "no valid action" in second.prompt
    assert played.terminal.acted == [Hangup()]


async def test_too_many_invalid_answers_end_a_run() -> None:
    played = Played(FakeTerminal("> "), "bad", budget=Budget(max_validation_failures=2))
    result = await played.runner.run()
    assert (result.outcome, result.limit, result.steps) == (Outcome.BUDGET, Limit.VALIDATION_FAILURES, 2)
    assert played.terminal.acted == []


@pytest.mark.parametrize("before", [[], ["bad"]])
async def test_a_provider_that_fails_ends_the_run_as_infra(before: list[Line]) -> None:
    played = Played(FakeTerminal("> "), *before, ProviderFault("rate_limited", "429", attempts=5))
    result = await played.runner.run()
    assert result.outcome == Outcome.INFRA
    assert (result.steps, result.spent.validation_failures, result.spent.decision_ticks) == (0, 0, 0)
    (told,) = played.events("infra")
    assert (told["kind"], told["attempts"]) == ("rate_limited", 5)
    assert "Decision" in told["prompt"]
    assert (told["reply"] or {}).get("raw") == (before[0] if before else None)
    assert not played.events("memory_committed")


async def test_tokens_and_cost_end_a_run() -> None:
    answer = Answer(text=P, usage=Usage(input_tokens=400, output_tokens=100), cost_usd=0.3)
    result = await Played(FakeTerminal("> "), answer, budget=Budget(max_tokens=1200)).runner.run()
    assert (result.limit, result.steps, result.spent.tokens) == (Limit.TOKENS, 3, 1500)
    result = await Played(FakeTerminal("> "), answer, budget=Budget(max_cost_usd=0.5)).runner.run()
    assert (result.limit, result.steps) == (Limit.COST_USD, 2)


async def test_wall_time_ends_a_run_and_shortens_the_last_look() -> None:
    time = FakeTime()

    def answer(prompt: Prompt) -> str:
        time.pass_(7)
        return P

    terminal = FakeTerminal("> ")
    played = Played(terminal, time=time, model=ScriptedModel(answer), budget=Budget(max_wall_seconds=20))
    result = await played.runner.run()
    assert (result.limit, result.steps) == (Limit.WALL_SECONDS, 3)
    assert [asked["left_s"] for asked in terminal.asked] == [20.0, 13.0, 6.0, LAST_LOOK_S]
    assert [decision.prompt.split("Deadline: ")[1].split(";")[0] for decision in played.decisions] == [
        f"your answer is due within {left} seconds" for left in (20, 13, 6)
    ]


class Silent(ScriptedModel):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__(())
        self.asked = asyncio.Event()

    async def complete(self, prompt: Prompt) -> Any:
        self.asked.set()
        await asyncio.Event().wait()


async def test_a_model_that_thinks_too_long_is_cut_off() -> None:
    played = Played(FakeTerminal("> "), model=Silent(), budget=Budget(max_wall_seconds=0.05))
    result = await asyncio.wait_for(played.runner.run(), 5)
    assert (result.outcome, result.limit, result.steps) == (Outcome.BUDGET, Limit.WALL_SECONDS, 0)
    (told,) = played.events("cut_off")
    assert "Decision" in told["prompt"]
    assert result.spent.validation_failures == 0


async def test_a_cancelled_run_has_its_end_on_record(tmp_path: Path) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        played = Played(FakeTerminal("> "), model=Silent(), trace=trace)
        task = asyncio.create_task(played.runner.run())
        await played.model.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert played.runner.result is not None
    assert played.runner.result.outcome == Outcome.INTERRUPTED
    *_, last = read_trace(tmp_path / "trace.jsonl")
    assert isinstance(last, EventRecord)
    assert (last.event, last.data["outcome"]) == ("run_finished", "interrupted")


async def test_a_transcript_that_fails_is_infra() -> None:
    def refuse(action: Action) -> None:
        raise TranscriptFailed("the disk is full")

    result = await Played(FakeTerminal("> ", refuse=refuse), P).runner.run()
    assert (result.outcome, result.detail) == (Outcome.INFRA, "transcript: the disk is full")


async def test_a_trace_that_fails_ends_the_run_before_it_acts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TraceWriter(tmp_path / "trace.jsonl") as trace:
        played = Played(FakeTerminal("> "), P, trace=trace)
        await played.runner.observe()

        def full(fd: int, data: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "write", full)
        result = await played.runner.run()
        monkeypatch.undo()
    assert result.outcome == Outcome.INFRA
    assert result.trace_fault is not None
    assert "No space left" in result.trace_fault
    assert played.terminal.acted == []


async def test_a_fault_of_ours_is_on_record_and_is_raised() -> None:
    def answer(prompt: Prompt) -> str:
        raise KeyError("choices")

    played = Played(FakeTerminal("> "), model=ScriptedModel(answer))
    with pytest.raises(KeyError):
        await played.runner.run()
    assert played.runner.result is not None
    assert (played.runner.result.outcome, played.runner.result.steps) == (Outcome.INFRA, 0)


async def test_what_the_terminal_cant_spell_is_repaired_before_it_is_typed() -> None:
    snowman = '{"action": "submit_line", "arguments": {"text": "☃"}}'
    line = '{"action": "submit_line", "arguments": {"text": "snow"}}'
    played = Played(FakeTerminal("> "), snowman, line, BYE)
    await played.runner.run()
    first = played.decisions[0]
    assert first.repair is not None
    assert "U+2603" in first.repair.error
    assert played.terminal.acted == [SubmitLine("snow"), Hangup()]


async def test_an_action_that_the_terminal_refuses_is_told_to_the_model() -> None:
    def refuse(action: Action) -> None:
        if isinstance(action, PressKey):
            raise Unencodable(["☃"], "cp437")

    played = Played(FakeTerminal("> ", refuse=refuse), P, BYE)
    await played.runner.run()
    assert len(played.events("not_sent")) == 1
    assert "U+2603" in played.decisions[1].prompt


async def test_an_action_that_the_program_does_not_read_is_given_up_and_the_run_goes_on() -> None:
    def clogged(_action: Action) -> None:
        raise NotTaken(3, 9)

    terminal = FakeTerminal("> ", refuse=clogged)
    played = Played(terminal, P, budget=Budget(max_decision_ticks=2, max_wall_seconds=60))
    result = await played.runner.run()
    assert (result.outcome, result.steps) == (Outcome.BUDGET, 2)
    assert terminal.left == [60.0, 60.0]
    first, _ = played.events("not_sent")
    assert first["code"] == "not_taken"
    assert "3 of 9 bytes went out" in first["error"]


async def test_a_model_is_told_what_its_last_action_did_and_what_is_left() -> None:
    played = Played(FakeTerminal("Menu\n> ", "Menu\nPlayed\n> "), P, budget=Budget(max_decision_ticks=2))
    await played.runner.run()
    second = played.decisions[1].prompt
    assert "step 1" in second
    assert "Decisions left, this one included: 1 of 2" in second


async def test_a_session_that_keeps_what_it_was_sent_gets_deltas() -> None:
    model = ScriptedModel([P], loop=True, stateful=True)
    played = Played(FakeTerminal("> "), model=model, budget=Budget(max_decision_ticks=3))
    await played.runner.run()
    assert [record.prompt_kind for record in played.decisions] == ["bootstrap", "delta", "delta"]
    played = Played(
        FakeTerminal("> "), model=model, budget=Budget(max_decision_ticks=2), prompt_mode=PromptMode.STATELESS_FULL
    )
    await played.runner.run()
    assert [record.prompt_kind for record in played.decisions] == ["full", "full"]


async def test_older_steps_are_summed_up_by_the_model_and_counted() -> None:
    summary = '{"current_state": "in the shop", "discovered_facts": ["ore costs 12"]}'

    def answer(prompt: Prompt) -> Answer:
        text = summary if prompt.schema_name == "session_summary" else P
        return Answer(text=text, usage=Usage(input_tokens=10, output_tokens=1))

    played = Played(
        FakeTerminal("> "),
        model=ScriptedModel(answer),
        model_writes_memory=True,
        budget=Budget(max_decision_ticks=20),
    )
    result = await played.runner.run()
    (told,) = played.events("memory_compacted")
    assert (told["by"], told["summary"]["current_state"]) == ("model", "in the shop")
    assert "ore costs 12" in played.decisions[-1].prompt
    assert played.events("memory_committed")[0]["by"] == "fold", "nobody reads it after this run"
    assert result.spent.calls == 20 + 1


async def test_a_failing_compaction_does_not_end_a_run() -> None:
    def answer(prompt: Prompt) -> str | ProviderFault:
        return ProviderFault("server_error", "503") if prompt.schema_name != "action" else P

    played = Played(
        FakeTerminal("> "), model=ScriptedModel(answer), model_writes_memory=True, budget=Budget(max_decision_ticks=20)
    )
    result = await played.runner.run()
    (told,) = played.events("memory_compacted")
    assert (told["by"], told["fault"]) == ("fold", "server_error: 503")
    assert (result.outcome, result.steps) == (Outcome.BUDGET, 20)


async def test_a_script_is_asked_for_decisions_only() -> None:
    played = Played(FakeTerminal("> "), P, budget=Budget(max_decision_ticks=20))
    result = await played.runner.run()
    assert played.model.calls == result.steps == 20
    assert [told["by"] for told in played.events("memory_compacted")] == ["fold"]


async def test_campaign_memory_is_told_and_committed_at_the_end_alone() -> None:
    memory = RunMemory(CampaignMemory(facts=(MemoryItem("the exit is north"),)))
    before = memory.campaign
    update = '{"facts": ["the shop sells ore"], "remove": ["the exit is north"]}'

    def answer(prompt: Prompt) -> str:
        assert memory.campaign is before
        return update if prompt.schema_name == "memory_update" else P

    played = Played(
        FakeTerminal("> "),
        model=ScriptedModel(answer),
        memory=memory,
        model_writes_memory=True,
        budget=Budget(max_decision_ticks=2),
    )
    await played.runner.run()
    assert "the exit is north" in played.decisions[0].prompt
    assert [item.text for item in memory.campaign.facts] == ["the shop sells ore"]
    (told,) = played.events("memory_committed")
    assert told["by"] == "model"
    assert memory.campaign.commits[-1].by.outcome == "budget"


async def test_a_broken_run_commits_nothing() -> None:
    memory = RunMemory()
    played = Played(FakeTerminal("> ", End(EndKind.LOST, "reset")), P, memory=memory)
    await played.runner.run()
    assert memory.campaign.commits == ()


async def test_a_scheduler_can_let_decisions_overlap() -> None:
    """Two agents decide at once, and their actions go out in the order of the schedule."""
    runs = [Played(FakeTerminal("> "), P), Played(FakeTerminal("> "), BYE)]
    turns = [await run.runner.observe() for run in runs]
    decisions = await asyncio.gather(*(run.runner.decide(turn) for run, turn in zip(runs, turns, strict=True)))
    assert not any(run.terminal.acted for run in runs)
    ends = [await run.runner.commit(decision) for run, decision in zip(runs, decisions, strict=True)]
    assert ends[0] is None
    assert ends[1] is not None
    assert ends[1].outcome == Outcome.HANGUP
    runs[1].runner.event("commit_order", {"queued_tick": 4})
    assert (await runs[1].runner.finish(ends[1])).outcome == Outcome.HANGUP
    assert runs[1].events("commit_order") == [{"queued_tick": 4}]


async def test_the_policy_of_the_profile_is_what_the_model_sees() -> None:
    played = Played(FakeTerminal("> "), P, profile=STABILITY_ONLY, budget=Budget(max_decision_ticks=1))
    await played.runner.run()
    assert ActionName.HANGUP not in STABILITY_ONLY.policy.allowed
    assert "hangup" not in played.decisions[0].system_prompt


async def test_pictures_cost_nothing_unless_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    played = Played(FakeTerminal("> "), P, budget=Budget(max_decision_ticks=1))
    await played.runner.run()
    assert played.decisions[0].observation.screen_png is None
    prompts: list[Prompt] = []

    def answer(prompt: Prompt) -> str:
        prompts.append(prompt)
        return P

    played = Played(
        FakeTerminal("> "), model=ScriptedModel(answer), pictures=tmp_path, budget=Budget(max_decision_ticks=2)
    )
    await played.runner.run()
    path = tmp_path / "match-1" / "agent-001" / "step-0002.png"
    assert played.decisions[1].observation.screen_png == str(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    assert prompts[1].images == (path.read_bytes(),)


async def test_pictures_that_cannot_be_kept_end_the_run_as_infra(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    (tmp_path / "pictures").write_text("a file, no folder")
    played = Played(FakeTerminal("> "), P, pictures=tmp_path / "pictures")
    result = await played.runner.run()
    assert result.infra is not None
    assert (result.infra.kind, result.steps, result.transcript_path) == ("pictures", 0, "run.raw")
    assert "Not a directory" in result.infra.message
    assert [told["kind"] for told in played.events("infra")] == ["pictures"]


async def test_a_run_without_a_time_limit_says_so() -> None:
    played = Played(FakeTerminal("> "), P, budget=Budget(max_wall_seconds=None, max_decision_ticks=2))
    await played.runner.run()
    assert all("Deadline: none, this run has no time limit" in one.prompt for one in played.decisions)
    assert [asked["left_s"] for asked in played.terminal.asked] == [None] * 3


async def test_the_deadline_is_told_in_a_delta_too() -> None:
    time = FakeTime()

    def answer(prompt: Prompt) -> str:
        time.pass_(7)
        return P

    model = ScriptedModel(answer, stateful=True)
    played = Played(FakeTerminal("> "), time=time, model=model, budget=Budget(max_wall_seconds=20))
    await played.runner.run()
    assert [one.prompt_kind for one in played.decisions] == ["bootstrap", "delta", "delta"]
    assert [
        f"within {left} seconds" in one.prompt for one, left in zip(played.decisions, (20, 13, 6), strict=True)
    ] == [True] * 3


async def test_a_limit_that_the_provider_does_not_count_is_told_once() -> None:
    played = Played(FakeTerminal("> "), P, budget=Budget(max_tokens=100, max_cost_usd=1.0, max_decision_ticks=3))
    result = await played.runner.run()
    assert played.events("uncounted") == [{"limit": "tokens"}, {"limit": "cost_usd"}]
    assert "Tokens left: 100" in played.decisions[0].prompt
    assert "Tokens left: not counted by the provider" in played.decisions[1].prompt
    assert (result.spent.uncounted_calls, result.spent.unpriced_calls) == (3, 3)
    played = Played(FakeTerminal("> "), P, budget=Budget(max_decision_ticks=3))
    await played.runner.run()
    assert not played.events("uncounted"), "it limits nothing"


class Remembering(ScriptedModel):
    """As a program that keeps its session, which is no script to lose its place."""

    provider = "codex"


async def test_a_model_that_keeps_a_session_writes_campaign_memory_when_the_run_is_over(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(prompt: Prompt) -> str:
        asked.append(prompt.schema_name)
        return '{"facts": ["the shop sells ore"]}' if prompt.schema_name == "memory_update" else P

    file = CampaignFile(tmp_path / "memory.json")
    played = Played(
        FakeTerminal("> "),
        model=Remembering(answer, stateful=True),
        memory=RunMemory(file=file),
        budget=Budget(max_decision_ticks=20),
    )
    await played.runner.run()
    assert asked == ["action"] * 20 + ["memory_update"]
    assert [told["by"] for told in played.events("memory_compacted")] == ["fold"], (
        "its thread is not cut during the run"
    )
    assert [told["by"] for told in played.events("memory_committed")] == ["model"]
    assert [item.text for item in file.load().facts] == ["the shop sells ore"]


def test_deltas_need_a_model_that_keeps_its_session() -> None:
    with pytest.raises(ValueError, match="stateful_delta needs a model that keeps its session, and scripted does not"):
        Played(FakeTerminal("> "), P, prompt_mode=PromptMode.STATEFUL_DELTA)


async def test_hints_and_detectors_are_on_record_and_end_nothing() -> None:
    profile = msgspec.structs.replace(
        SHELL,
        detectors=(
            Detector("shop", lambda observation, _: "Shop" in observation.pretty_screen),
            Detector("at-the-top", lambda _, hints: hints.active_row == 0),
        ),
    )
    played = Played(FakeTerminal("> ", "Shop\nBuy? "), P, profile=profile, budget=Budget(max_decision_ticks=2))
    result = await played.runner.run()
    first, second = played.decisions
    assert (first.detected, second.detected) == (("at-the-top",), ("shop",))
    assert first.hints is not None
    assert first.hints.effects == ()
    assert second.hints is not None
    assert second.hints.active_prompt == "Buy?"
    assert "new_lines" in second.hints.effects
    assert second.hints.input_mode
    assert (result.outcome, result.steps) == (Outcome.BUDGET, 2)
    assert decode_line(encode_line(second)) == second
