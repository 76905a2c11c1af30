"""Sessions that clients before 1.2 kept as files, and what a session has of them."""

import json
import shutil
from pathlib import Path
from typing import Any, TypeVar

import pytest

from agentview.domain.activity import Activity
from agentview.domain.events import (
    Compaction,
    Message,
    Notification,
    Topic,
    Unparsed,
    User,
)
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolCall
from agentview.providers import load_provider
from agentview.sources.files import read_part
from agentview.sources.member import holds_sessions
from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.providers.joined_log import calls, joined, shown
from tests.providers.opencode.file_store import PROJECT, put, write
from tests.providers.opencode.store import SESSION, Store

PROVIDER = load_provider("opencode_storage")
SAMPLES = sample_sessions_dir()
T = TypeVar("T")
PLACE = Path(".local/share/opencode/storage")


def rows(name: str) -> list[dict[str, Any]]:
    return list(map(json.loads, (SAMPLES / "opencode" / name).read_bytes().splitlines()))


def opened(file: Path) -> list[Activity]:
    """The timeline of the one session in a file."""
    (ref,) = PROVIDER.scan(file)
    return shown(joined(PROVIDER, Path(ref.path)))


def bodies(file: Path, kind: type[T]) -> list[T]:
    return [each.body for each in opened(file) if isinstance(each.body, kind)]


@pytest.mark.parametrize("name", ["demo.jsonl", "errors.jsonl", "image.jsonl"])
def test_files_are_shown_as_the_rows_that_came_later(tmp_path: Path, name: str):
    found = opened(write(tmp_path / PLACE, rows(name)))
    later = shown(joined(load_provider("opencode"), SAMPLES / "opencode" / name))
    assert [each.body for each in found] == [each.body for each in later]


def test_a_call_that_was_refused_ends_the_turn(tmp_path: Path):
    file = write(tmp_path / PLACE, rows("denied.jsonl"))
    (refused,) = [call for call in bodies(file, ToolCall) if call.denial is not None]
    assert refused.provider_name == "bash"
    assert bodies(file, Notification)[-1].topic is Topic.INTERRUPT
    (ref,) = PROVIDER.scan(file)
    assert PROVIDER.info(ref).state is SessionState.INTERRUPTED


@pytest.mark.parametrize("backward", [False, True])
def test_a_compaction_has_its_cause_and_its_summary(tmp_path: Path, backward: bool):
    (ref,) = PROVIDER.scan(write(tmp_path / PLACE, rows("compact.jsonl")))
    store = joined(PROVIDER, Path(ref.path), backward=backward)
    (body,) = [each.body for each in shown(store) if isinstance(each.body, Compaction)]
    assert body.trigger == "auto"
    assert (body.summary or "").startswith("The user asked for scripted work.")


def test_the_sample_of_files_has_the_lines_that_were_saved():
    (file,) = (SAMPLES / "opencode_storage" / "storage" / "session").glob("*/*.json")
    assert holds_sessions(file)
    (ref,) = PROVIDER.scan(file)
    saved = SAMPLES / "opencode_storage" / "errors.jsonl"
    assert read_part(Path(ref.path), 0, 1 << 24) == saved.read_bytes()
    info = PROVIDER.info(ref)
    assert (info.project, info.client_version) == ("/home/dev/ws/opencode/errors/repo", "1.1.65")
    assert (info.model, info.state) == ("mock-model", SessionState.YOUR_TURN)


@pytest.mark.slow
def test_each_session_is_listed_and_printed(tmp_path: Path):
    agentview = CommandLine(tmp_path, tmp_path)
    file = write(tmp_path / PLACE, rows("errors.jsonl"))
    write(tmp_path / PLACE, rows("demo.jsonl"))
    listed = json.loads(agentview("ls", "--json").stdout)
    assert {each["provider"] for each in listed} == {"opencode_storage"}
    assert len(listed) == 2
    assert "before errors" in agentview("cat", "--plain", str(file)).stdout


@pytest.mark.slow
def test_a_session_that_was_copied_to_the_database_is_listed_once(tmp_path: Path):
    file = write(tmp_path / PLACE, rows("errors.jsonl"))
    copied = [{**row} for row in rows("demo.jsonl")]
    copied[0]["id"] = SESSION
    write(tmp_path / PLACE, copied)
    root = tmp_path / PLACE / "session"
    assert len(PROVIDER.scan(root)) == 2
    store = Store(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    store.conversation()
    assert [ref.session_id for ref in PROVIDER.scan(root)] == [file.stem]
    store.close()


def test_an_agent_is_below_the_session_that_started_it(tmp_path: Path):
    main = rows("errors.jsonl")
    child = [{**row} for row in rows("denied.jsonl")]
    child[0]["parent_id"] = main[0]["id"]
    file = write(tmp_path / PLACE, main)
    write(tmp_path / PLACE, child)
    (ref,) = PROVIDER.scan(file)
    (started,) = PROVIDER.discovery.children(ref)
    assert started.session_id == child[0]["id"]
    assert (started.parent_id, started.stream.kind) == (ref.session_id, StreamKind.SUBAGENT)
    assert PROVIDER.resume_command(started) is None
    assert PROVIDER.resume_command(ref) == ("opencode", "-s", ref.session_id)


def test_what_a_client_adds_is_read(tmp_path: Path):
    all_rows = rows("errors.jsonl")
    early = [row for row in all_rows if row["time_created"] <= all_rows[1]["time_created"] + 9000]
    file = write(tmp_path / PLACE, early)
    before = len(opened(file))
    write(tmp_path / PLACE, [{**all_rows[0], "title": "It grew"}, *all_rows[1:]])
    after = opened(file)
    assert len(after) > before
    assert after[0].body != after[-1].body


def test_a_session_without_messages_has_its_facts(tmp_path: Path):
    file = write(tmp_path / PLACE, rows("errors.jsonl")[:1])
    assert opened(file) == []
    (ref,) = PROVIDER.scan(file)
    info = PROVIDER.info(ref)
    assert info.title == rows("errors.jsonl")[0]["title"]
    assert info.state is SessionState.UNKNOWN


def test_damaged_files_are_shown_and_hide_no_others(tmp_path: Path):
    storage = tmp_path / PLACE
    file = write(storage, rows("errors.jsonl"))
    whole = len(opened(file))
    own = file.stem
    (storage / "message" / own / "msg_0.json").write_text('{"role": "user", "ti')
    part = next((storage / "part").rglob("prt_*.json"))
    (part.parent / "prt_0.json").write_text("[1, 2]")
    put(storage / "message" / own / "msg_1.json", {"role": 7, "time": [], "tokens": "x"})
    write(storage, [{**rows("errors.jsonl")[0], "title": "It was written again"}])
    found = opened(file)
    unread = " ".join(each.reason for each in bodies(file, Unparsed))
    assert "a message that is not JSON" in unread
    assert "a part that is not JSON" in unread
    assert len(found) == whole + 2


@pytest.mark.parametrize("own", ["..", "../../secret", "a/b", "", "x" * 5000])
def test_an_id_leads_to_no_other_folder(tmp_path: Path, own: str):
    storage = tmp_path / PLACE
    file = write(storage, rows("errors.jsonl")[:1])
    put(tmp_path / "secret" / "msg_1.json", {"id": "msg_1", "role": "user"})
    put(storage / "msg_2.json", {"id": "msg_2", "role": "user"})
    session = {**json.loads(file.read_text()), "id": own}
    file.write_text(json.dumps(session))
    assert all(shown(joined(PROVIDER, Path(ref.path))) == [] for ref in PROVIDER.scan(file))


def test_links_are_not_read(tmp_path: Path):
    storage = tmp_path / PLACE
    file = write(storage, rows("errors.jsonl"))
    messages = storage / "message" / file.stem
    shutil.move(messages, tmp_path / "elsewhere")
    messages.symlink_to(tmp_path / "elsewhere")
    assert opened(file) == []


def test_other_files_of_the_client_are_no_sessions(tmp_path: Path):
    put(tmp_path / "project.json", {"id": "p", "worktree": "/", "projectID": 3})
    put(tmp_path / "message.json", {"id": "m", "role": "user", "projectID": "", "directory": ""})
    put(tmp_path / "export.json", {"info": {"id": "s", "projectID": "p", "directory": "/"}})
    assert not any(map(holds_sessions, tmp_path.glob("*.json")))


def test_the_whole_of_a_large_output_is_found(tmp_path: Path):
    (ref,) = PROVIDER.scan(write(tmp_path / PLACE, rows("errors.jsonl")))
    whole = tmp_path / ".local/share/opencode/tool-output/out_1"
    assert PROVIDER.discovery.externalized_output(ref, "/x/out_1") is None
    whole.parent.mkdir()
    whole.write_text("all")
    assert PROVIDER.discovery.externalized_output(ref, "/x/out_1") == whole
    assert PROVIDER.discovery.externalized_output(ref, "..") is None


def test_prompts_answers_and_calls_of_the_sample_are_there():
    store = joined(PROVIDER, SAMPLES / "opencode_storage" / "demo.jsonl")
    kinds = {type(each.body) for each in shown(store)}
    assert {User, Message} <= kinds
    asked = {row["data"]["callID"] for row in rows("demo.jsonl") if "callID" in row.get("data", {})}
    assert set(calls(store)) == asked


def test_the_project_folder_is_that_of_the_session():
    (file,) = (SAMPLES / "opencode_storage" / "storage" / "session").glob("*/*.json")
    assert file.parent.name == PROJECT
