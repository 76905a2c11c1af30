"""Annotations in real files: changed by several processes, damaged, forbidden."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.domain.annotations import Bookmark
from agentview.sessions.annotations.bookmarks import bookmarks_in, remove_bookmark, set_bookmark
from agentview.sessions.annotations.session_file import AnnotationsNotSaved, SessionFile

_WRITER = """
import sys
from pathlib import Path
from agentview.sessions.annotations.bookmarks import set_bookmark
from agentview.sessions.annotations.session_file import SessionFile
from agentview.domain.annotations import Bookmark
for number in range(40):
    file = SessionFile("claude_code", "s", Path(sys.argv[1]))
    set_bookmark(file, Bookmark(f"{sys.argv[2]}{number}"))
"""


def _file(folder: Path, session: str = "s") -> SessionFile:
    return SessionFile("claude_code", session, folder / "sessions")


def _events(file: SessionFile) -> set[str]:
    return set(bookmarks_in(file.read()))


def test_what_is_set_is_there_and_private(tmp_path: Path) -> None:
    file = _file(tmp_path)
    assert file.read() == {}
    set_bookmark(file, Bookmark("a", "agent-1", 120, 2))
    set_bookmark(file, Bookmark("b"))
    again = _file(tmp_path)
    assert bookmarks_in(again.read())["a"] == Bookmark("a", "agent-1", 120, 2)
    remove_bookmark(again, "a")
    assert _events(file) == {"b"}
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert sorted(path.name for path in file.path.parent.iterdir()) == [".lock", file.path.name]


@pytest.mark.parametrize("session", ["../../x", "a/b", "\0", "x" * 5_000, "\ud800", ""])
def test_any_session_id_has_a_file_of_its_own(session: str, tmp_path: Path) -> None:
    file = _file(tmp_path, session)
    set_bookmark(file, Bookmark("a"))
    assert file.path.parent == tmp_path / "sessions"
    assert _events(_file(tmp_path, session)) == {"a"}
    assert _events(_file(tmp_path, "another")) == set()


def test_instances_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "sessions"
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name]) for name in "abc"
    ]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    assert _events(_file(tmp_path)) == {f"{name}{number}" for name in "abc" for number in range(40)}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_damaged_file_is_set_aside(content: bytes, tmp_path: Path) -> None:
    file = _file(tmp_path)
    set_bookmark(file, Bookmark("a"))
    file.path.write_bytes(content)
    assert file.read() == {}
    assert file.set_aside is not None
    assert file.set_aside.read_bytes() == content
    again = _file(tmp_path)
    again.path.write_bytes(content)
    set_bookmark(again, Bookmark("b"))
    assert again.set_aside is not None
    assert again.set_aside.read_bytes() == content
    assert _events(again) == {"b"}


def test_what_another_version_wrote_is_kept(tmp_path: Path) -> None:
    file = _file(tmp_path)
    set_bookmark(file, Bookmark("a"))
    written = json.loads(file.path.read_text())
    written["notes"] = {"a": "why?"}
    written["bookmarks"] |= {
        "odd": 7,
        "b": {"offset": -1, "number": True, "stream": [], "color": 1},
    }
    file.path.write_text(json.dumps(written))
    assert bookmarks_in(file.read()) == {"a": Bookmark("a"), "b": Bookmark("b")}
    remove_bookmark(file, "a")
    kept = json.loads(file.path.read_text())
    assert kept["notes"] == {"a": "why?"}
    assert kept["bookmarks"]["odd"] == 7
    assert kept["bookmarks"]["b"]["color"] == 1
    kept["version"] = 2
    file.path.write_text(json.dumps(kept))
    with pytest.raises(AnnotationsNotSaved, match="newer"):
        set_bookmark(file, Bookmark("c"))
    assert json.loads(file.path.read_text()) == kept


def test_a_directory_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("")
    with pytest.raises(AnnotationsNotSaved, match="cannot be used"):
        set_bookmark(_file(tmp_path), Bookmark("a"))
    with pytest.raises(AnnotationsNotSaved):
        _file(tmp_path).read()
