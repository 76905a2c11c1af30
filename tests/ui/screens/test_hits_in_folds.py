"""A hit of a search inside a folded part of an activity: the part opens, and folds again later."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.providers import load_provider
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.app import AgentViewApp
from agentview.ui.render.collapsible import NO_FOLDS
from agentview.ui.widgets.status_line import StatusLine
from tests.claude_log import ClaudeLog, write
from tests.ui.app_under_test import bar_text, screen_text, session_screen, typed, until

PROVIDER = load_provider("claude_code")
SIZE = (100, 30)

LONG = [f"plain value number {number}" for number in range(30)]
TREE = {"outer": [*LONG, {"inner": {"deep": "the zebra hides here"}}], "also": list(range(6))}


def app(path: Path) -> AgentViewApp:
    return AgentViewApp(LaunchOptions(Screen.SESSION, PROVIDER.discovery.ref(path)))


def written(tmp_path: Path, *records: bytes) -> Path:
    log = ClaudeLog()
    return write(tmp_path / "s.jsonl", [log.prompt("begin"), *records, log.text("the end")])


def status(pilot: Pilot[None]) -> str:
    return bar_text(pilot.app.screen.query_one(StatusLine), 400)


async def search(pilot: Pilot[None], query: str) -> None:
    await pilot.press("g", "slash")
    await typed(pilot, query)


async def test_a_text_deep_in_folded_json_is_brought_into_view_and_folds_again(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    call = log.call("c1", "mcp__stock__look", shelf=3, words=["a", "b", "quokka", "c"])
    path = written(tmp_path, call, log.result("c1", json.dumps(TREE)))
    async with app(path).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await search(pilot, "zebra")
        await until(pilot, lambda: "1 of 1" in screen_text(pilot))
        row = timeline.selected
        assert row is not None
        await until(pilot, lambda: "the zebra hides here" in screen_text(pilot))
        assert timeline.level(row) is DetailLevel.FULL
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert timeline.level(row) is not DetailLevel.FULL
        assert "the zebra hides here" not in screen_text(pilot)


async def test_what_the_reader_had_folded_opens_for_a_hit_and_is_folded_when_it_is_left(
    tmp_path: Path,
) -> None:
    log = ClaudeLog()
    shelf = {"filler": "x" * 120, "name": "upper zebra shelf"}
    call = log.call("c1", "mcp__stock__look", shelf=shelf)
    other = log.call("c2", "mcp__stock__look", shelf={"name": "a zebra of its own"})
    records = (call, log.result("c1", "found"), other, log.result("c2", "found"))
    async with app(written(tmp_path, *records)).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await pilot.press("g", "j", "3", "z")
        await pilot.pause(0.1)
        folded = timeline.selected
        assert folded is not None
        assert timeline.folds(folded) != NO_FOLDS
        assert "name: upper" not in screen_text(pilot)
        await search(pilot, "zebra")
        await until(pilot, lambda: "1 of 2" in screen_text(pilot))
        await until(pilot, lambda: "upper zebra shelf" in screen_text(pilot))
        await pilot.press("enter", "n")
        await until(pilot, lambda: "2 of 2" in status(pilot))
        await pilot.pause(0.1)
        assert "upper zebra shelf" not in screen_text(pilot)
        assert timeline.level(folded) is DetailLevel.FULL


def patched(tmp_path: Path) -> Path:
    """A patch of two files, the second of which is so long that it begins folded."""
    lines = [f"+line {number}" for number in range(700)]
    lines[650] = "+the zebra hides here"
    patch = ["*** Begin Patch", "*** Add File: short.txt", "+one", "*** Add File: long.txt", *lines]
    source = "\n".join([*patch, "*** End Patch"])
    meta = {"id": "0199aaaa-0000-7000-8000-000000000001", "cwd": "/home/dev", "cli_version": "1"}
    call = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": source}
    done = {"type": "custom_tool_call_output", "call_id": "c1", "output": "Success."}
    records = [
        {"timestamp": "2026-11-21T10:00:00.000Z", "type": kind, "payload": payload}
        for kind, payload in (
            ("session_meta", meta),
            ("response_item", call),
            ("response_item", done),
        )
    ]
    path = tmp_path / f"rollout-2026-11-21T10-00-00-{meta['id']}.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


@pytest.mark.slow
async def test_a_hit_in_a_diff_of_several_files_opens_its_file(tmp_path: Path) -> None:
    ref = load_provider("codex").discovery.ref(patched(tmp_path))
    async with AgentViewApp(LaunchOptions(Screen.SESSION, ref)).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await search(pilot, "zebra")
        await until(pilot, lambda: "1 of 1" in screen_text(pilot))
        await until(pilot, lambda: "the zebra hides here" in screen_text(pilot))
        row = timeline.selected
        assert row is not None
        assert timeline.level(row) is DetailLevel.FULL
        assert timeline.folds(row) != NO_FOLDS
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert timeline.folds(row) == NO_FOLDS
        assert "the zebra hides here" not in screen_text(pilot)


async def test_a_long_message_shows_the_line_that_was_found(tmp_path: Path) -> None:
    log = ClaudeLog()
    lines = [f"- item {number}" for number in range(300)]
    lines[222] = "- the zebra hides here"
    path = written(tmp_path, log.text("\n".join(lines)))
    async with app(path).run_test(size=SIZE) as pilot:
        await search(pilot, "zebra")
        await until(pilot, lambda: "the zebra hides here" in screen_text(pilot))
        assert "1 of 1" in screen_text(pilot)


async def test_the_lines_of_a_summary_that_show_the_hit_stay_as_they_are(tmp_path: Path) -> None:
    log = ClaudeLog()
    call = log.call("c1", "Bash", command="ls")
    path = written(tmp_path, call, log.result("c1", "zebra.txt"))
    async with app(path).run_test(size=SIZE) as pilot:
        timeline = session_screen(pilot).timeline
        await search(pilot, "zebra")
        await until(pilot, lambda: "1 of 1" in screen_text(pilot))
        assert timeline.selected is not None
        assert timeline.level(timeline.selected) is DetailLevel.SUMMARY


@pytest.mark.slow
async def test_a_here_document_opens_for_what_it_hides(tmp_path: Path) -> None:
    log = ClaudeLog()
    script = "\n".join([*(f"print({number})" for number in range(40)), "zebra = 1"])
    call = log.call("c1", "Bash", command=f"python3 - <<'END'\n{script}\nEND\necho done")
    path = written(tmp_path, call, log.result("c1", "done"))
    async with app(path).run_test(size=SIZE) as pilot:
        await search(pilot, "zebra")
        await until(pilot, lambda: "zebra = 1" in screen_text(pilot))
        await pilot.press("escape")
        await pilot.pause(0.1)
        assert "zebra = 1" not in screen_text(pilot)


@pytest.mark.slow
async def test_a_pattern_finds_marks_and_says_when_it_is_none(tmp_path: Path) -> None:
    log = ClaudeLog()
    path = written(tmp_path, log.text("the zebra hides here"), log.text("a zibra, too"))
    async with app(path).run_test(size=SIZE) as pilot:
        await search(pilot, "regex:/z[ei]bra\\b/")
        await until(pilot, lambda: "1 of 2" in screen_text(pilot))
        await pilot.press("enter", "n")
        await until(pilot, lambda: "2 of 2" in status(pilot))
        await pilot.press("escape")
        await search(pilot, "regex:/(z/")
        await until(pilot, lambda: "regular expression: (z: missing" in screen_text(pilot))


@pytest.mark.slow
async def test_hits_that_the_filter_hides_are_counted_apart(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [log.text("zebra one"), log.text("zebra two")]
    call = [log.call("c1", "Bash", command="zebra"), log.result("c1", "ok")]
    async with app(written(tmp_path, *records, *call)).run_test(size=SIZE) as pilot:
        await search(pilot, "zebra")
        await pilot.press("enter", "n")
        await until(pilot, lambda: "/zebra  2 of 3" in status(pilot))
        await pilot.press("f")
        await typed(pilot, "kind:message")
        await pilot.press("enter")
        await until(pilot, lambda: "of 2, 1 hidden by the filter" in status(pilot))
        await pilot.press("g", "n")
        await until(pilot, lambda: "/zebra  2 of 2, 1 hidden by the filter" in status(pilot))
        await pilot.press("n")
        await until(pilot, lambda: "/zebra  1 of 2, 1 hidden by the filter" in status(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "/zebra  1 of 3" in status(pilot))


async def test_a_text_in_the_folded_output_of_tests_is_brought_into_view(tmp_path: Path) -> None:
    log = ClaudeLog()
    printed = "collected by a zebra\nFAILED a.py::test_a - assert 0\n1 failed in 0.10s"
    call = log.call("c1", "Bash", command="pytest")
    path = written(tmp_path, call, log.result("c1", printed, {"stdout": printed}))
    async with app(path).run_test(size=SIZE) as pilot:
        await until(pilot, lambda: "▸ output  3 lines" in screen_text(pilot))
        assert "zebra" not in screen_text(pilot)
        await search(pilot, "zebra")
        await until(pilot, lambda: "collected by a zebra" in screen_text(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: "▸ output  3 lines" in screen_text(pilot))
