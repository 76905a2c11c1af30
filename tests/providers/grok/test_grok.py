"""Grok Build: calls by their ids, what the client put in, and the summary next to a history."""

import shutil
from pathlib import Path

import pytest

from agentview.domain.events import Attachment, Compaction, Reasoning, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ReadResult, ShellResult, WebSearchResult
from agentview.domain.tools import ToolKind
from agentview.providers import load_provider
from agentview.providers.grok import PROVIDER
from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.target import resolve
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown

UPDATES = sample_sessions_dir() / "acp" / "kept_updates.jsonl"
FILE = sample_sessions_dir() / "grok" / "harbour" / "chat_history.jsonl"


def test_each_call_is_shown_once_with_what_came_of_it():
    made = calls(joined(PROVIDER, FILE))
    assert {own: call.kind for own, call in made.items()} == {
        "call-1": ToolKind.READ,
        "call-2": ToolKind.SHELL,
        "ws_1": ToolKind.WEB_SEARCH,
        "call-3": ToolKind.EDIT,
    }
    assert isinstance(made["call-1"].result, ReadResult)
    assert made["call-1"].ok is None
    assert isinstance(made["call-2"].result, ShellResult)
    searched = made["ws_1"].result
    assert isinstance(searched, WebSearchResult)
    assert [hit.url for hit in searched.hits] == ["https://tides.example/today"]


def test_what_the_client_put_in_is_no_prompt():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FILE))]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Which berth is free?",
        "also mark berth 3",
    ]
    assert [body.name for body in bodies if isinstance(body, Attachment)] == [
        "project instructions"
    ]
    assert [body.withheld for body in bodies if isinstance(body, Reasoning)] == [False, True]
    assert [body.summary for body in bodies if isinstance(body, Compaction)] == [
        "The plan was read and changed."
    ]


def test_a_history_of_the_first_form_has_roles():
    store = joined(PROVIDER, FILE.parents[1] / "first_form.jsonl")
    (call,) = calls(store).values()
    assert (call.call_id, call.kind) == ("call-1", ToolKind.READ)
    assert isinstance(call.result, ReadResult)
    assert call.result.content == "The pier is open until six."
    bodies = [activity.body for activity in shown(store)]
    assert [body.text for body in bodies if isinstance(body, User)] == ["Is the pier open?"]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["The notice says it."]


def test_the_summary_tells_what_a_history_does_not():
    ref = PROVIDER.discovery.ref(FILE)
    info = PROVIDER.info(ref)
    assert (info.title, info.project) == ("Find a free berth", "/home/dev/harbour")
    assert (info.branch, info.model) == ("spring", "grok-4.5")
    assert PROVIDER.resume_command(ref) == ("grok", "--resume", ref.session_id)


def put(home: Path, *, updates: bytes, history: bool = True) -> Path:
    """A session of the sample's name in its place; returns where sessions are."""
    folder = home / ".grok" / "sessions" / "%2Fhome%2Fdev%2Fharbour" / "019f6851-7"
    folder.mkdir(parents=True)
    shutil.copy(FILE.with_name("summary.json"), folder)
    if history:
        shutil.copy(FILE, folder)
    (folder / "updates.jsonl").write_bytes(updates)
    return home / ".grok" / "sessions"


@pytest.mark.parametrize("history", [True, False])
def test_a_session_is_listed_once_by_its_updates(tmp_path: Path, history: bool):
    root = put(tmp_path, updates=UPDATES.read_bytes(), history=history)
    (ref,) = PROVIDER.scan(root)
    assert (ref.provider, Path(ref.path).name) == ("grok", "updates.jsonl")
    info = PROVIDER.info(ref)
    assert (info.title, info.project) == ("Find a free berth", "/home/dev/harbour")
    assert (info.started, info.state) == (1795700001.0, SessionState.YOUR_TURN)
    assert PROVIDER.resume_command(ref) == ("grok", "--resume", ref.session_id)


def test_a_session_is_the_same_by_its_path(tmp_path: Path):
    (ref,) = PROVIDER.scan(put(tmp_path, updates=UPDATES.read_bytes()))
    assert resolve(ref.path, Choice()) == ref
    # Nothing next to such updates says whose they are.
    (tmp_path / "updates.jsonl").write_bytes(UPDATES.read_bytes())
    assert resolve(str(tmp_path / "updates.jsonl"), Choice()).provider == "acp"


@pytest.mark.parametrize("updates", [b"", b'{"other": 1}\n'])
def test_updates_that_say_nothing_are_not_listed(tmp_path: Path, updates: bytes):
    found = PROVIDER.scan(put(tmp_path, updates=updates))
    assert [Path(ref.path).name for ref in found] == ["chat_history.jsonl"]


def test_updates_are_read_as_the_protocol_reads_them(tmp_path: Path):
    (ref,) = PROVIDER.scan(put(tmp_path, updates=UPDATES.read_bytes()))
    store, other = joined(PROVIDER, Path(ref.path)), joined(load_provider("acp"), UPDATES)
    assert [each.body for each in shown(store)] == [each.body for each in shown(other)]
    made = calls(store)
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "call-1": (ToolKind.READ, True),
        "call-2": (ToolKind.SHELL, False),
    }
    assert store.summary.usage == other.summary.usage
    assert store.summary.usage.output
    assert store.summary.cost == other.summary.cost


def test_where_histories_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [Path("/h/.grok/sessions")]
    assert roots({"HOME": "/h", "GROK_HOME": "/g"}) == [Path("/g/sessions")]
