"""Sessions that older versions kept as documents, against the same ones in the tables."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Notification, Topic, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind
from agentview.normalize.json_values import items_of
from agentview.providers.hermes import PROVIDER
from agentview.sources.files import read_part
from agentview.sources.member import holds_sessions
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.providers.hermes.document_store import write
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "hermes"
SESSIONS = Path(".hermes/sessions")


def rows(name: str) -> list[dict[str, Any]]:
    return list(map(json.loads, (FOLDER / f"{name}.jsonl").read_bytes().splitlines()))


def opened(file: Path) -> list[object]:
    (ref,) = PROVIDER.scan(file)
    return [each.body for each in shown(joined(PROVIDER, Path(ref.path)))]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("name", ["demo", "errors", "denied"])
def test_calls_are_those_of_the_tables(tmp_path: Path, name: str, backward: bool):
    (ref,) = PROVIDER.scan(write(tmp_path / SESSIONS, rows(name)))
    found = calls(joined(PROVIDER, Path(ref.path), backward=backward))
    later = calls(joined(PROVIDER, FOLDER / f"{name}.jsonl"))
    assert found.keys() == later.keys()
    for own, call in found.items():
        other = later[own]
        assert (call.kind, call.payload) == (other.kind, other.payload)
        # What came of work in the background is in a table of its own.
        if call.kind is not ToolKind.SUBAGENT_TASK:
            assert (call.ok, call.result) == (other.ok, other.result)


def test_the_sample_has_its_facts_and_is_not_changed():
    (file,) = (FOLDER / "sessions").glob("session_*.json")
    before = file.read_bytes()
    assert holds_sessions(file)
    (ref,) = PROVIDER.scan(file)
    info = PROVIDER.info(ref)
    first = rows("errors")[0]
    assert (info.project, info.model) == (first["cwd"], first["model"])
    assert abs((info.started or 0.0) - first["started_at"]) < 0.001
    assert info.state is not SessionState.UNKNOWN
    assert file.read_bytes() == before


@pytest.mark.slow
def test_documents_are_found_below_the_folder_of_the_client(tmp_path: Path):
    agentview = CommandLine(tmp_path, tmp_path)
    file = write(tmp_path / SESSIONS, rows("demo"))
    # Files with keys, and what a failed request was, are no sessions.
    (tmp_path / ".hermes" / "auth.json").write_text('{"session_id": "x", "session_start": "y"}')
    (file.parent / "request_dump_1.json").write_text('{"session_id": "x", "timestamp": "y"}')
    (listed,) = json.loads(agentview("ls", "--json").stdout)
    assert (listed["provider"], listed["id"]) == ("hermes", rows("demo")[0]["id"])
    assert "I'll start by looking" in agentview("cat", "--plain", str(file)).stdout


def test_a_session_that_is_in_the_database_is_listed_once(tmp_path: Path):
    folder = tmp_path / SESSIONS
    write(folder, rows("demo"))
    other = write(folder, [{**rows("errors")[0], "id": "other"}, *rows("errors")[1:]])
    assert len(PROVIDER.scan(folder)) == 2
    shutil.copy(FOLDER / "state.db", tmp_path / ".hermes" / "state.db")
    assert [Path(ref.path).parent for ref in PROVIDER.scan(folder)] == [other]


def test_an_agent_and_a_session_that_continues_another(tmp_path: Path):
    child = [{**rows("errors")[0], "source": "subagent"}, *rows("errors")[1:]]
    (ref,) = PROVIDER.scan(write(tmp_path / "a", child, parent_session_id="20260101_x"))
    assert (ref.parent_id, ref.stream.kind) == ("20260101_x", StreamKind.SUBAGENT)
    assert PROVIDER.resume_command(ref) is None
    file = write(tmp_path / "b", rows("errors"), parent_session_id="20260101_x")
    (ref,) = PROVIDER.scan(file)
    assert ref.parent_id is None
    links = [each for each in opened(file) if isinstance(each, Notification)]
    assert [each.text for each in links if each.topic is Topic.LINK] == [
        "Continues the session 20260101_x"
    ]


def test_a_content_of_parts_has_its_words_and_its_picture(tmp_path: Path):
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}},
    ]
    file = write(tmp_path, rows("errors"), messages=[{"role": "user", "content": parts}])
    assert opened(file) == [User("What is this?", (ImageBlock("image/png", "aGk="),))]


@pytest.mark.parametrize("stated", [1795399925.5, "2026-11-23T02:12:05.500000+00:00"])
def test_a_message_that_states_its_time_has_it(tmp_path: Path, stated: object):
    said = {"role": "user", "content": "Go on.", "timestamp": stated}
    (ref,) = PROVIDER.scan(write(tmp_path, rows("errors"), messages=[said]))
    assert PROVIDER.info(ref).last_activity == 1795399925.5


def test_a_document_that_grows_is_read_on(tmp_path: Path):
    everything = rows("demo")
    file = write(tmp_path, everything[:5])
    before = opened(file)
    assert write(tmp_path, everything) == file
    assert len(opened(file)) > len(before)


@pytest.mark.parametrize(
    "messages", [None, 7, "x", {"a": 1}, [None, 1, "x", [], {}], [{"role": []}], [{"role": "tool"}]]
)
def test_documents_of_another_form_are_read_as_far_as_they_go(tmp_path: Path, messages: object):
    file = write(tmp_path, rows("errors"), messages=messages, session_start=[], model_config="x")
    (ref,) = PROVIDER.scan(file)
    assert PROVIDER.info(ref).started is None
    lines = read_part(Path(ref.path), 0, 1 << 20).splitlines()
    assert len(lines) == 1 + len(items_of(messages))
    shown(joined(PROVIDER, Path(ref.path)))


def test_a_cut_document_says_that_it_cannot_be_read(tmp_path: Path):
    file = write(tmp_path, rows("demo"))
    file.write_bytes(file.read_bytes()[:2000])
    (found,) = PROVIDER.scan(file)
    assert found.path == str(file)
    assert found.fault is not None
    assert found.fault.startswith("Unterminated string")
