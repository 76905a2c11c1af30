"""What an agent was given of its parent's history is not its own, though nothing marks it."""

from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import User
from agentview.domain.usage import Usage
from agentview.providers.codex.discovery import DISCOVERY
from tests.providers.codex.log import AT, Record, answered, called, joined, report, said
from tests.providers.joined_log import calls, shown, texts, write

PARENT = "019cb19f-0000-7aaa-8bbb-0123456789ab"
AGENT = "019cb1a0-0000-7aaa-8bbb-0123456789ab"
MADE = "2026-03-02T10:00:00.000Z"
NEWLY = "You are the newly spawned agent. What stands above is another's."


def meta(thread: str, **fields: Any) -> Record:
    payload = {"id": thread, "timestamp": MADE, "cwd": "/w", **fields}
    return {"timestamp": AT, "type": "session_meta", "payload": payload}


def started(turn: str, at: int) -> Record:
    return report(type="task_started", turn_id=turn, started_at=at)


def counted(total: int, last: int) -> Record:
    info = {
        "total_token_usage": {"input_tokens": total, "output_tokens": 0},
        "last_token_usage": {"input_tokens": last, "output_tokens": 0},
    }
    return report(type="token_count", info=info)


INHERITED = [
    meta(PARENT),
    started("019cb19f-0100-7aaa-8bbb-0123456789ab", 1772445540),
    said("user", "Sort the list"),
    report(type="user_message", message="Sort the list"),
    called("exec_command", {"cmd": "ls"}),
    answered("Process exited with code 0\nOutput:\na\n"),
    counted(900, 900),
    called("spawn_agent", {"message": "Count"}, "call_2"),
]
OWN = [
    started("019cb1a0-0100-7aaa-8bbb-0123456789ab", 1772445600),
    said("user", "Count the lines"),
    report(type="user_message", message="Count the lines"),
    counted(930, 30),
]


def agent(**fields: Any) -> Record:
    spawned = {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}
    return meta(AGENT, forked_from_id=PARENT, source={"subagent": spawned}, **fields)


def numbered(records: list[Record]) -> list[Record]:
    return [{**record, "ordinal": place} for place, record in enumerate(records)]


@pytest.mark.parametrize(
    "records",
    [
        [agent(), *INHERITED, *OWN],
        [agent(), *INHERITED, answered(NEWLY, "call_2"), *OWN[1:]],
        [agent(), *INHERITED, started("turn-2", 1772445600), *OWN[1:]],
        numbered([agent(subagent_history_start_ordinal=9), *INHERITED, *OWN[1:]]),
    ],
    ids=["turn", "told", "began", "numbered"],
)
def test_an_agents_log_begins_behind_what_it_was_given(tmp_path: Path, records: list[Record]):
    store = joined(write(tmp_path / f"rollout-{AGENT}.jsonl", records))
    assert texts(store) == ["Count the lines"]
    assert isinstance(shown(store)[0].body, User)
    assert calls(store) == {}
    assert store.summary.usage == Usage(input_uncached=30, output=0)


def test_the_place_is_found_once_it_is_there(tmp_path: Path):
    path = write(tmp_path / f"rollout-{AGENT}.jsonl", [agent(), *INHERITED])
    behind = path.stat().st_size
    assert DISCOVERY.ref(path).own_from == 0
    write(path, [agent(), *INHERITED, *OWN])
    assert DISCOVERY.ref(path).own_from == behind
    write(path, [agent(), *INHERITED, *OWN, *OWN])
    assert DISCOVERY.ref(path).own_from == behind


def test_a_log_that_repeats_nothing_is_all_its_own(tmp_path: Path):
    spawned = {"thread_spawn": {"parent_thread_id": PARENT}}
    lone = write(tmp_path / "a.jsonl", [meta(AGENT, source={"subagent": spawned}), *OWN])
    assert DISCOVERY.ref(lone).own_from == 0
    assert joined(lone).summary.usage == Usage(input_uncached=30, output=0)


def test_history_is_told_without_the_name_of_where_it_came_from(tmp_path: Path):
    spawned = {"thread_spawn": {"parent_thread_id": PARENT}}
    earlier = [{**record, "timestamp": "2026-03-02T09:59:00.000Z"} for record in INHERITED[1:]]
    own = [{**record, "timestamp": "2026-03-02T10:00:02.000Z"} for record in OWN]
    path = write(tmp_path / "a.jsonl", [meta(AGENT, source={"subagent": spawned}), *earlier, *own])
    assert texts(joined(path)) == ["Count the lines"]


def later(records: list[Record]) -> list[Record]:
    return [{**record, "timestamp": "2026-03-02T10:05:00.000Z"} for record in records]


@pytest.mark.parametrize("turns", [True, False], ids=["turns", "burst"])
def test_a_fork_shows_what_it_continues_and_counts_only_its_own(tmp_path: Path, turns: bool):
    repeated = counted(900, 900)
    own = later([OWN[0], repeated, *OWN[1:]])
    records = [meta(AGENT, forked_from_id=PARENT), *INHERITED, *own]
    if not turns:
        records = [record for record in records if record["payload"].get("type") != "task_started"]
    path = write(tmp_path / "b.jsonl", records)
    for store in (joined(path), joined(path, backward=True)):
        assert texts(store)[-2:] == ["Sort the list", "Count the lines"]
        assert [*calls(store)] == ["call_1", "call_2"]
        assert store.summary.usage == Usage(input_uncached=30, output=0)


def test_equal_texts_of_a_repeated_history_stay_apart(tmp_path: Path):
    def turn(number: int) -> list[Record]:
        return [
            said("user", "Go on"),
            report(type="user_message", message="Go on"),
            called("exec_command", {"cmd": "cat log"}, f"call_{number}"),
            answered("x" * 60_000, f"call_{number}"),
            report(type="agent_message", message="Done"),
            counted(100 * number, 100),
            said("assistant", "Done"),
        ]

    history = [meta(PARENT), *turn(1), *turn(2), *turn(3)]
    own = later([said("user", "Go on")])
    path = write(tmp_path / "c.jsonl", [meta(AGENT), *history, *own])
    for backward in (False, True):
        found = texts(joined(path, backward=backward))
        assert found == ["Go on", "Done"] * 3 + ["Go on"]


def test_a_record_that_is_a_moment_older_than_its_thread_is_its_own(tmp_path: Path):
    spawned = {"thread_spawn": {"parent_thread_id": PARENT}}
    first = {**said("user", "Count the lines"), "timestamp": "2026-03-02T09:59:59.900Z"}
    path = write(tmp_path / "a.jsonl", [meta(AGENT, source={"subagent": spawned}), first, OWN[0]])
    assert texts(joined(path)) == ["Count the lines"]
