"""What OpenCode prints, and what it exports: the same calls as in its database."""

import json
import re
from pathlib import Path

import pytest

from agentview.domain.events import Message, Notification, Unparsed, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.tools import ToolCall, ToolState
from agentview.providers import load_provider, recognise
from agentview.providers.opencode.opencode_output import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

SAMPLES = sample_sessions_dir() / "opencode_output"
FILES = sorted(path for path in SAMPLES.iterdir())
EXPORTED = SAMPLES / "exported.json"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_call_is_shown_once(path: Path):
    asked = path.read_text().count('"callID"')
    store = joined(PROVIDER, path)
    assert len(calls(store)) == asked > 0
    assert all(call.ok is not None for call in calls(store).values())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_recognised_wherever_it_is_cut(path: Path):
    data = path.read_bytes()
    assert recognise(data[:65_536], Path("unnamed")) is load_provider(PROVIDER.name)
    for size in range(0, len(data), 997):
        assert 0.0 <= PROVIDER.discovery.probe(data[:size], path) <= 0.97


def test_an_exported_session_shows_what_its_database_has():
    kept = joined(load_provider("opencode"), sample_sessions_dir() / "opencode" / "denied.jsonl")
    exported = joined(PROVIDER, EXPORTED)
    assert calls(exported).keys() == calls(kept).keys()
    for own, call in calls(exported).items():
        assert (call.kind, call.state, call.result) == (
            calls(kept)[own].kind,
            calls(kept)[own].state,
            calls(kept)[own].result,
        )
    said = [
        [
            body.text
            for activity in shown(store)
            if isinstance(body := activity.body, User | Message)
        ]
        for store in (exported, kept)
    ]
    assert said[0] == said[1]
    assert exported.summary.tokens == kept.summary.tokens


def test_an_exported_session_has_its_title_and_folder():
    ref = PROVIDER.discovery.ref(EXPORTED)
    info = PROVIDER.info(ref)
    told = json.loads(EXPORTED.read_text())["info"]
    assert (ref.session_id, info.project) == (told["id"], told["directory"])
    assert PROVIDER.resume_command(ref) == ("opencode", "-s", told["id"])


def test_refused_calls_of_a_run():
    made = calls(joined(PROVIDER, SAMPLES / "denied.jsonl")).values()
    assert [call for call in made if call.state is ToolState.OUTPUT_DENIED]
    tokens = joined(PROVIDER, SAMPLES / "denied.jsonl").summary.tokens
    lines = map(json.loads, (SAMPLES / "denied.jsonl").read_text().splitlines())
    parts = [line["part"] for line in lines if line["type"] == "step_finish"]
    assert tokens["output"] == sum(part["tokens"]["output"] for part in parts)


def test_an_error_and_a_message_of_its_own_line_are_read(tmp_path: Path):
    lines: list[dict[str, object]] = [
        {"type": "error", "timestamp": 1, "sessionID": "ses_1",
         "error": {"name": "APIError", "data": {"message": "overloaded"}}},
        {"info": {"id": "m", "role": "user", "time": {"created": 1771135208448}},
         "parts": [{"type": "text", "text": "Hello"}, {"type": "text", "text": "again"}]},
    ]  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    store = joined(PROVIDER, path)
    bodies = [activity.body for activity in shown(store)]
    assert [getattr(body, "text", None) for body in bodies] == ["overloaded", "Hello", "again"]
    data = b'{"type":"new","part":{"type":"hologram"},"sessionID":"ses_1"}'
    (event,) = PROVIDER.decode(data, SourceRef("x", 0, len(data)), PROVIDER.discovery.ref(path))
    assert isinstance(event.body, Unparsed)


def test_an_exported_session_without_its_ids_shows_the_same(tmp_path: Path):
    path = tmp_path / EXPORTED.name
    path.write_text(
        re.sub(
            r'"(id|callID|messageID)": ?"(?:msg|prt|call)_[^"]*"',
            r'"\1":"REDACTED"',
            EXPORTED.read_text(),
        )
    )
    assert path.read_text().count("REDACTED") > 4
    bodies = [
        [
            (body.args, body.output) if isinstance(body, ToolCall) else body
            for body in (activity.body for activity in shown(joined(PROVIDER, each)))
        ]
        for each in (EXPORTED, path)
    ]
    assert bodies[0] == bodies[1]


@pytest.mark.parametrize("name", ["msg_{}", "REDACTED"])
def test_each_message_of_an_export_counts_its_tokens(tmp_path: Path, name: str):
    document = json.loads(EXPORTED.read_text())
    answer = document["messages"][1]["info"]
    times = [answer["time"]["created"] + step for step in range(3)]
    infos = [{**answer, "id": name.format(time), "time": {"created": time}} for time in times]
    document["messages"] = [{"info": info, "parts": []} for info in infos]
    path = tmp_path / EXPORTED.name
    path.write_text(json.dumps(document))
    spent = joined(PROVIDER, path).summary.spending.spent
    assert sum(usage.output or 0 for _, usage in spent) == 3 * answer["tokens"]["output"]


def test_each_error_of_a_run_is_shown(tmp_path: Path):
    begun = 1_795_399_636_000
    errors: list[object] = [
        {"name": "APIError", "data": {"message": "overloaded"}},
        {"name": "UnknownError", "data": {"message": "no such model"}},
        "run ended with an auto-rejected permission",
    ]
    path = tmp_path / "run.jsonl"
    lines = [
        {"type": "error", "timestamp": begun + at, "sessionID": "ses_1", "error": error}
        for at, error in enumerate(errors)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = shown(joined(PROVIDER, path))
    bodies = [each.body for each in rows if isinstance(each.body, Notification)]
    assert [(body.text, body.detail) for body in bodies] == [
        ("overloaded", "APIError"),
        ("no such model", "UnknownError"),
        ("run ended with an auto-rejected permission", None),
    ]
    assert [each.started for each in rows] == [(begun + at) / 1000 for at in range(3)]
