"""The end of logs of all providers, read from the samples."""

import shutil
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind, row_kind
from agentview.domain.events import Message, User
from agentview.domain.session import SessionRef
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider, provider_names
from agentview.sessions.library.last_turn import last_turn
from agentview.system.paths import sample_sessions_dir

NAME = "claude_code"


def sample(case: str) -> SessionRef:
    path = sample_sessions_dir() / NAME / f"{case}.jsonl"
    return load_provider(NAME).discovery.ref(path)


def all_samples() -> list[SessionRef]:
    return [
        ref
        for name in provider_names()
        for ref in load_provider(name).scan(sample_sessions_dir() / name)
    ]


@pytest.mark.parametrize("ref", all_samples(), ids=lambda ref: "/".join(ref.path.split("/")[-3:]))
def test_any_log_has_an_end_or_nothing(ref: SessionRef) -> None:
    turn = last_turn(ref, live=False)
    assert len(turn.activities) <= 3
    # A request for permission may be recorded before its call, which stands at its own place.
    places = [activity.events[-1].source.offset for activity in turn.activities]
    assert places == sorted(places)
    assert all(row_kind(activity.body) is not RowKind.HIDDEN for activity in turn.activities)


def test_begins_with_the_last_prompt_and_ends_with_the_last_message() -> None:
    prompt, *_, message = last_turn(sample("demo"), live=False).activities
    assert isinstance(prompt.body, User)
    assert isinstance(message.body, Message)


def test_a_call_under_way_is_what_it_does(tmp_path: Path) -> None:
    lines = Path(sample("progress").path).read_text().splitlines(keepends=True)
    path = tmp_path / "one.jsonl"
    path.write_text("".join(lines[:2]))
    ref = load_provider(NAME).discovery.ref(path)
    prompt, call = last_turn(ref, live=True).activities
    assert isinstance(prompt.body, User)
    assert isinstance(call.body, ToolCall)


def test_a_log_that_is_gone_has_none(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    shutil.copy(sample("demo").path, path)
    ref = load_provider(NAME).discovery.ref(path)
    path.unlink()
    assert last_turn(ref, live=False).activities == ()


def test_says_that_the_prompt_lies_further_back(tmp_path: Path) -> None:
    lines = Path(sample("demo").path).read_text().splitlines(keepends=True)
    answer = next(line for line in reversed(lines) if '"type":"assistant"' in line)
    path = tmp_path / "one.jsonl"
    with path.open("w") as file:
        file.writelines(lines[:20])
        for number in range(2_500):
            file.write(answer.replace('"uuid":"', f'"uuid":"{number:04}'))
    turn = last_turn(load_provider(NAME).discovery.ref(path), live=False)
    assert turn.cut
    assert turn.activities
