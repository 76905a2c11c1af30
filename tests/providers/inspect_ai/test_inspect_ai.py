"""Samples of evaluations, in archives of every kind and as saved lines."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Notification, Topic, User
from agentview.domain.session_state import SessionState
from agentview.domain.tools import ToolKind, ToolState
from agentview.errors import AgentViewError
from agentview.providers import load_provider, recognise
from agentview.sources import archive, json_values
from agentview.sources.files import read_part
from agentview.sources.member import holds_sessions, member_path
from agentview.sources.open_member import open_member
from agentview.system.paths import sample_sessions_dir
from tests.providers.inspect_ai.zip_files import ZSTD, write
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "inspect_ai"
PROVIDER = load_provider("inspect_ai")
DOCUMENT: Any = json.loads((FOLDER / "evaluation.json").read_bytes())
each_way = pytest.mark.parametrize("backward", [False, True])
each_method = pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD])


def members() -> dict[str, bytes]:
    """The members that an evaluation has at its end."""
    header = {key: value for key, value in DOCUMENT.items() if key != "samples"}
    samples = {
        f"samples/{each['id']}_epoch_{each['epoch']}.json": json.dumps(each).encode()
        for each in DOCUMENT["samples"]
    }
    start = {"_journal/start.json": json.dumps({"eval": DOCUMENT["eval"]}).encode()}
    return {**start, **samples, "header.json": json.dumps(header).encode()}


@each_way
@pytest.mark.parametrize(("name", "at"), [("demo", 0), ("second", 1)])
def test_every_call_is_shown_once_and_answered(name: str, at: int, backward: bool):
    messages = DOCUMENT["samples"][at]["messages"]
    asked = [call["id"] for each in messages for call in each.get("tool_calls") or ()]
    events = DOCUMENT["samples"][at]["events"]
    asked += [each["id"] for each in events if each["event"] == "tool"]
    made = calls(joined(PROVIDER, FOLDER / f"{name}.jsonl", backward=backward))
    assert set(made) == set(asked)
    assert ToolState.INPUT_AVAILABLE not in {call.state for call in made.values()}


def test_tokens_are_those_of_the_sample():
    used = DOCUMENT["samples"][0]["model_usage"]["mockllm/model"]
    usage = joined(PROVIDER, FOLDER / "demo.jsonl").summary.usage
    assert (usage.input_uncached or 0) + (usage.input_cached or 0) == used["input_tokens"]
    assert usage.input_cached == used["input_tokens_cache_read"]
    assert usage.output == used["output_tokens"]


def older(tmp_path: Path, samples: list[Any]) -> list[Any]:
    """The sessions of a log of 2024 with these samples, joined."""
    document = {**json.loads((FOLDER / "older.json").read_bytes()), "samples": samples}
    path = tmp_path / "older.json"
    path.write_text(json.dumps(document, indent=1))
    return [joined(PROVIDER, Path(ref.path)) for ref in PROVIDER.scan(path)]


OLDER: Any = json.loads((FOLDER / "older.json").read_bytes())["samples"]


def test_logs_of_2024_have_tokens_calls_and_scores(tmp_path: Path):
    plain, with_events = older(tmp_path, OLDER)
    # Of a sample without requests the last answer says what it took, which is not all.
    assert (plain.summary.usage.output, plain.summary.usage.unfinished) == (4, 1)
    assert (with_events.summary.usage.input_uncached, with_events.summary.usage.output) == (110, 14)
    assert with_events.summary.usage.unfinished is None
    for store in (plain, with_events):
        bodies = [each.body for each in shown(store)]
        assert [each.text for each in bodies if isinstance(each, User)] == ["Count the crates."]
        assert [each.text for each in bodies if isinstance(each, Notification)] == ["match: C"]
        made = calls(store)
        assert [(each.ok, each.error) for each in made.values()] == [
            (False, "No such quay."), (True, None),
        ]  # fmt: skip
    kinds = [type(each.body).__name__ for each in shown(with_events)]
    assert kinds == [
        "Attachment", "User", "Message", "ToolCall", "Message", "ToolCall", "Message",
        "Notification",
    ]  # fmt: skip


def test_the_only_sample_of_an_evaluation_has_its_tokens(tmp_path: Path):
    (alone,) = older(tmp_path, OLDER[:1])
    usage = alone.summary.usage
    assert (usage.input_uncached, usage.output, usage.unfinished) == (220, 28, None)


def test_tools_and_failures():
    made = list(calls(joined(PROVIDER, FOLDER / "demo.jsonl")).values())
    kinds = {call.provider_name: call.kind for call in made}
    assert kinds["bash"] is kinds["python"] is ToolKind.SHELL
    failed = {call.provider_name: call.error for call in made if call.ok is False}
    assert failed == {"lookup": "no such key", "no_such_tool": "Tool no_such_tool not found"}


def test_a_sample_that_ended_and_one_that_an_exception_ended():
    ended = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "demo.jsonl"))
    assert (ended.title, ended.state) == ("mock_task: s1", SessionState.ENDED)
    assert (ended.model, ended.client_version) == ("mockllm/model", "0.3.285")
    failed = PROVIDER.info(PROVIDER.discovery.ref(FOLDER / "aborted.jsonl"))
    assert failed.state is SessionState.FAILED
    bodies = [each.body for each in shown(joined(PROVIDER, FOLDER / "aborted.jsonl"))]
    last = bodies[-1]
    assert isinstance(last, Notification)
    assert (last.topic, last.text) == (Topic.API_ERROR, "ValueError('no such key')")
    assert [body.text for body in bodies if isinstance(body, User)] == ["What is 6*7? Use tools."]


@each_method
def test_each_sample_of_an_archive_is_a_session(tmp_path: Path, method: int):
    path = write(tmp_path / "x.eval", members(), method)
    before = (path.read_bytes(), path.stat().st_mtime_ns)
    assert holds_sessions(path)
    refs = PROVIDER.scan(path)
    assert [ref.session_id for ref in refs] == ["s1_epoch_1", "s2_epoch_1"]
    for ref, name in zip(refs, ("demo", "second"), strict=True):
        lines = read_part(Path(ref.path), 0, 1 << 24).splitlines()
        saved = (FOLDER / f"{name}.jsonl").read_bytes().splitlines()
        assert list(map(json.loads, lines)) == list(map(json.loads, saved))
        assert PROVIDER.info(ref).state is SessionState.ENDED
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert [each.name for each in tmp_path.iterdir()] == ["x.eval"]


def test_samples_are_found_as_they_are_written(tmp_path: Path):
    path = tmp_path / "x.eval"
    whole = members()
    write(path, {"_journal/start.json": whole["_journal/start.json"]})
    assert PROVIDER.scan(path) == []
    first = "samples/s1_epoch_1.json"
    write(path, {name: whole[name] for name in ("_journal/start.json", first)})
    (ref,) = PROVIDER.scan(path)
    assert PROVIDER.info(ref).title == "mock_task: s1"
    write(path, whole)
    assert len(PROVIDER.scan(path)) == 2
    assert PROVIDER.info(ref).title == "mock_task: s1"


@each_method
def test_what_unpacks_to_too_much_is_not_read(
    tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(archive, "LARGEST", 100_000)
    bomb = b'{"id": "s1", "epoch": 1, "input": "' + b"x" * 50_000_000 + b'"}'
    path = write(tmp_path / "x.eval", {"samples/s1_epoch_1.json": bomb}, method)
    (ref,) = PROVIDER.scan(path)
    assert read_part(Path(ref.path), 0, 1000) == b""
    assert PROVIDER.info(ref).title == (
        "could not be read: samples/s1_epoch_1.json: it has more than 100,000 bytes"
    )
    with pytest.raises(AgentViewError, match="Cannot read samples"):
        archive.container(path).json("samples/s1_epoch_1.json")


def test_what_holds_too_many_things_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_values, "MOST_VALUES", 1_000)
    monkeypatch.setattr(archive, "_MEMBERS", 100)
    texts = ", ".join(f'"a, b: {{[{number}\\\\"' for number in range(400))
    begin = '{"id": "s1", "epoch": 1, "messages": [], "events": [], "store": '
    for store, why in (
        (f"[{texts}]", None),
        ("[" + "{}," * 600 + "0]", "it has more than 1,000 values"),
        ("[" + '"",' * 1200 + "0]", "it has more than 1,000 values"),
        ("[" * 1200 + "]" * 1200, "it has more than 1,000 values"),
    ):
        sample = f"{begin}{store}}}".encode()
        held = {"header.json": b'{"version": 2, "eval": {}}', "samples/s1_epoch_1.json": sample}
        path = write(tmp_path / "x.eval", held, 8)
        (ref,) = PROVIDER.scan(path)
        fault = PROVIDER.info(ref).ref.fault
        assert fault == (None if why is None else f"samples/s1_epoch_1.json: {why}")
    path = write(tmp_path / "y.eval", {f"samples/{at}_epoch_1.json": b"{}" for at in range(200)}, 8)
    (ref,) = PROVIDER.scan(path)
    assert (ref.path, ref.fault) == (str(path), "it has more than 100 members")
    document = b'{"version": 2, "status": "success", "eval": {}, "samples": [%s]}' % (
        b"{}," * 150 + b"{}"
    )
    path = tmp_path / "z.json"
    path.write_bytes(document)
    (ref,) = PROVIDER.scan(path)
    assert (ref.path, ref.fault) == (str(path), "it has more than 100 sessions")


def test_a_text_that_is_named_often_is_put_back_so_often(tmp_path: Path):
    named = b'"attachment://a",' * 2_000
    for size, fault in (
        (1_000, None),
        (200_000, "it repeats texts of more than 268,435,456 characters"),
    ):
        sample = b'{"id": "s1", "epoch": 1, "metadata": {"x": [%s0]}, "attachments": {"a": "%s"}}'
        held = {
            "header.json": b'{"version": 2, "eval": {}}',
            "samples/s1_epoch_1.json": sample % (named, b"x" * size),
        }
        (ref,) = PROVIDER.scan(write(tmp_path / "x.eval", held, zipfile.ZIP_DEFLATED))
        assert PROVIDER.info(ref).ref.fault == fault


def test_what_takes_too_long_to_read_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    sample = b'{"id": "s%d", "epoch": 1, "messages": [], "store": [%s0]}'
    held = {f"samples/s{at}_epoch_1.json": sample % (at, b"1," * 50_000) for at in range(9)}
    held["header.json"] = b'{"version": 2, "eval": {}}'
    first, *others = PROVIDER.scan(write(tmp_path / "x.eval", held, zipfile.ZIP_DEFLATED))
    whole = read_part(Path(first.path), 0, 1_000_000)
    assert whole
    # As much as the list and one session have taken, as if the rest were large.
    budget = archive.container(tmp_path / "x.eval").budget
    monkeypatch.setattr(budget, "_most", 0.0)
    titles = {PROVIDER.info(ref).title for ref in others}
    assert titles == {"could not be read: reading it takes more than 0 s of CPU time"}
    # What was read counts once.
    assert read_part(Path(first.path), 0, 1_000_000) == whole
    assert len(PROVIDER.scan(tmp_path / "x.eval")) == 9


def test_a_small_file_that_unpacks_to_much_takes_little_memory(tmp_path: Path):
    sample = b'{"id": "s1", "epoch": 1, "store": [' + b"{}," * 60_000_000 + b"0]}"
    held = {"header.json": b'{"version": 2, "eval": {}}', "samples/s1_epoch_1.json": sample}
    path = write(tmp_path / "x.eval", held, 8)
    assert path.stat().st_size < 200_000
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))\n"
        "from agentview.cli import main\n"
        "sys.exit(main(['stats', sys.argv[1]]))\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "it has more than 67,108,864 bytes" in done.stderr


@pytest.mark.slow
def test_a_damaged_archive_costs_nothing_but_itself(tmp_path: Path):
    data = write(tmp_path / "whole.eval", members()).read_bytes()
    for at in range(0, len(data), max(1, len(data) // 60)):
        path = tmp_path / "x.eval"
        path.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        for ref in PROVIDER.scan(path):
            PROVIDER.info(ref)
        path.write_bytes(data[:at])
        assert all(ref.fault is not None for ref in PROVIDER.scan(path))


def test_a_name_in_an_archive_leads_nowhere(tmp_path: Path):
    names = {f"samples/{name}_epoch_1.json": b"{}" for name in ("..", "a/b", "../../etc/passwd")}
    path = write(tmp_path / "x.eval", names)
    assert [ref.path for ref in PROVIDER.scan(path)] == [member_path(str(path), ".._epoch_1")]


def test_other_archives_and_documents_are_not_taken(tmp_path: Path):
    other = write(tmp_path / "x.eval", {"word/document.xml": b"<x/>"})
    assert PROVIDER.scan(other) == []
    for text in ('{"version": 2}', '{"version": 2, "status": "x", "messages": []}', "[]", "{"):
        (tmp_path / "x.json").write_text(text)
        assert not holds_sessions(tmp_path / "x.json")
    for name in ("evaluation.json", "aborted.json"):
        assert holds_sessions(FOLDER / name)
        assert recognise((FOLDER / name).read_bytes()[:65_536], Path("x.json")) is None


def test_samples_are_found_in_the_folder_of_logs(tmp_path: Path):
    (tmp_path / "deep").mkdir()
    write(tmp_path / "deep" / "x.eval", members())
    (tmp_path / "y.json").write_bytes((FOLDER / "aborted.json").read_bytes())
    (tmp_path / "z.json").write_text("{}")
    (root,) = PROVIDER.discovery.roots({"INSPECT_LOG_DIR": str(tmp_path)})
    found = [ref.path.removeprefix(f"{tmp_path}/") for ref in PROVIDER.scan(root)]
    assert found == ["deep/x.eval/s1_epoch_1", "deep/x.eval/s2_epoch_1", "y.json/s1_epoch_1"]


def test_an_archive_that_was_half_written_when_it_was_opened_is_read_later(tmp_path: Path):
    path = write(tmp_path / "evaluation.eval", members())
    data = path.read_bytes()
    path.write_bytes(bytes(100) + data[100:])
    session = path / "s1_epoch_1"
    with pytest.raises(AgentViewError):
        open_member(session)
    path.write_bytes(data)
    descriptor = open_member(session)
    assert descriptor is not None
    with os.fdopen(descriptor, "rb") as lines:
        assert len(lines.readlines()) > 10
