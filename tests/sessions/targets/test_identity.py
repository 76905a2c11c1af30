"""One session has one identity, whatever way it is named."""

import os
import shutil
import sqlite3
from pathlib import Path

import orjson
import pytest

from agentview.domain.session import SessionRef
from agentview.errors import Ambiguous
from agentview.facts.accounting.session_files import files_below
from agentview.providers import load_provider, provider_names, provider_roots
from agentview.sessions.library.subagent_tree import main_sessions
from agentview.sessions.targets.log_file import Choice
from agentview.sessions.targets.session_query import (
    all_refs,
    in_directory,
    in_project,
    info_of,
    refs_in,
)
from agentview.sessions.targets.target import resolve
from agentview.sessions.targets.target_sessions import chosen_sessions
from agentview.system.paths import sample_sessions_dir

Identity = tuple[str, str, str | None]
SAMPLES = sample_sessions_dir()
SESSION = {
    "type": "session", "version": 3, "id": "5e55", "timestamp": "2026-04-09T02:00:00.000Z",
    "cwd": "/home/dev/ws",
}  # fmt: skip
PROMPT = {
    "type": "message", "id": "m0", "parentId": None, "timestamp": "2026-04-09T02:00:00.000Z",
    "message": {"role": "user", "content": [{"type": "text", "text": "hello"}]},
}  # fmt: skip
TYPED = {
    "sessionId": "5e55", "messageId": 0, "type": "user", "message": "hello",
    "timestamp": "2026-04-09T02:00:00.000Z",
}  # fmt: skip


def identity(ref: SessionRef) -> Identity:
    return ref.provider, ref.session_id, load_provider(ref.provider).info(ref).project


def lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in records))
    return path


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the samples of each client in the first of its folders."""
    env = {"HOME": str(tmp_path / "home")}
    for name in provider_names():
        for root in provider_roots(name, env)[:1]:
            shutil.copytree(SAMPLES / name, root, dirs_exist_ok=True)
    for key in set(os.environ) - {"PATH"}:
        monkeypatch.delenv(key)
    monkeypatch.setenv("HOME", env["HOME"])
    return tmp_path / "home"


def test_path_directory_id_and_list_agree(home: Path):
    listed = main_sessions(all_refs())
    below = {ref.path: ref for ref in refs_in(home)}
    accounted = {ref.path: ref for ref in files_below(home) if isinstance(ref, SessionRef)}
    assert len({ref.provider for ref in listed}) > 25
    for ref in listed:
        known = identity(ref)
        assert identity(resolve(ref.path, Choice())) == known
        assert identity(below[ref.path]) == known
        assert identity(accounted[ref.path]) == known
        for target in (ref.session_id, f"{ref.provider}:{ref.session_id}"):
            try:
                assert identity(resolve(target, Choice(ref.provider))) == known
            except Ambiguous:
                assert sum(each.session_id == ref.session_id for each in listed) > 1


@pytest.mark.parametrize(
    ("place", "records", "provider"),
    [
        (".openclaw/agents/main/sessions/a.jsonl", (SESSION, PROMPT), "openclaw"),
        (".clawdbot/agents/main/sessions/a.jsonl", (SESSION, PROMPT), "openclaw"),
        (".pi/agent/sessions/shop/a.jsonl", (SESSION, PROMPT), "pi"),
        ("elsewhere/a.jsonl", (SESSION, PROMPT), "pi"),
        (".qwen/tmp/0123/logs.json", ([TYPED],), "qwen_code"),
        (".gemini/tmp/0123/logs.json", ([TYPED],), "gemini_cli"),
        ("elsewhere/logs.json", ([TYPED],), "gemini_cli"),
    ],
)
def test_the_folder_decides_between_formats_of_one_shape(
    tmp_path: Path, place: str, records: tuple[object, ...], provider: str
):
    """The folder of a copied home counts as that of one's own."""
    found = resolve(str(lines(tmp_path / "copy" / place, *records)), Choice())
    assert found.provider == provider


def test_content_decides_in_a_folder_of_another_client(tmp_path: Path):
    path = tmp_path / ".openclaw" / "agents" / "main" / "demo.jsonl"
    path.parent.mkdir(parents=True)
    shutil.copy(SAMPLES / "claude_code" / "demo.jsonl", path)
    assert resolve(str(path), Choice()).provider == "claude_code"


def test_entries_of_an_unknown_client_are_not_those_of_pi(tmp_path: Path):
    said = {"type": "user_input", "text": "hello", "timestamp": "2026-04-09T02:00:00.000Z"}
    path = lines(tmp_path / "a.jsonl", SESSION, said)
    assert load_provider("pi").discovery.probe(path.read_bytes(), path) == 0
    assert load_provider("pi").discovery.probe(orjson.dumps(SESSION), path) < 0.95


def test_older_logs_of_qwen_code_are_read_as_those_of_gemini_cli(tmp_path: Path):
    for source in sorted((SAMPLES / "gemini_cli").glob("*.json*")):
        path = tmp_path / ".qwen" / "tmp" / "0123" / "chats" / source.name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, path)
        new, old = resolve(str(path), Choice()), resolve(str(path), Choice("gemini_cli"))
        assert (new.provider, new.session_id) == ("qwen_code", old.session_id)
        facts = load_provider("qwen_code").info(new), load_provider("gemini_cli").info(old)
        assert facts[0].title == facts[1].title
        assert facts[0].status == facts[1].status


def test_a_directory_means_members_of_databases_and_archives_below_it(tmp_path: Path):
    for folder, name in ((".crush", "crush"), ("logs", "inspect_ai"), ("deep/er", "goose")):
        shutil.copytree(SAMPLES / name, tmp_path / "home" / folder)
    found = chosen_sessions([str(tmp_path / "home")], Choice())
    accounted = {e.path for e in files_below(tmp_path / "home") if isinstance(e, SessionRef)}
    assert {ref.provider for ref in found} == {"crush", "inspect_ai", "goose"}
    assert {ref.path for ref in found} == accounted
    database = tmp_path / "home" / ".crush" / "crush.db"
    with sqlite3.connect(database) as connection:
        (count,) = connection.execute("SELECT count(*) FROM sessions").fetchone()
    assert len(refs_in(database)) == count


def test_a_project_is_one_however_logs_write_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    said: dict[str, object] = {"message": {"role": "user", "content": "hello"}, "contextItems": []}
    written = {
        "a": "file:///c%3A/Users/me/demo%20one",
        "b": "C:\\Users\\me\\demo one",
        "c": "vscode-remote://wsl%2Bubuntu/home/me/demo",
        "d": "file:///nul%00/\x1b[2J",
    }
    for name, place in written.items():
        session = {"sessionId": name, "title": "t", "workspaceDirectory": place, "history": [said]}
        lines(tmp_path / ".continue" / "sessions" / f"{name}.json", session)
    infos = {info.ref.session_id: info for info in map(info_of, all_refs())}
    windows = "C:\\Users\\me\\demo one"
    assert infos["a"].project == infos["b"].project == windows
    assert infos["c"].project == "/home/me/demo"
    for project in (windows, "demo one", "c:/Users/me", written["a"]):
        chosen = {name for name, info in infos.items() if in_project(info, project)}
        assert chosen == {"a", "b"}
    assert not any(in_directory(info, tmp_path) for info in infos.values())
