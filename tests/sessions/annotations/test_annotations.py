"""Notes, stars and own titles in real files: changed by several processes, moved, damaged."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from agentview.domain.annotations import NO_ANNOTATIONS, Annotations, Bookmark, Note
from agentview.domain.session import SessionRef, Stream, StreamKind
from agentview.domain.unread import SeenPlace
from agentview.sessions.annotations.all_sessions import AllAnnotations, annotations_of
from agentview.sessions.annotations.bookmarks import set_bookmark
from agentview.sessions.annotations.notes import LONGEST, set_note
from agentview.sessions.annotations.seen import set_seen
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_star, set_title

REF = SessionRef("claude_code", "s", "/a/s.jsonl")

_WRITER = """
import sys
from pathlib import Path
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_star, set_title
from agentview.domain.annotations import Bookmark, Note
for number in range(20):
    file = SessionFile("claude_code", "s", Path(sys.argv[1]))
    set_note(file, Note(Bookmark(f"{sys.argv[2]}{number}"), "seen", 1.0))
    set_star(file, starred=True)
    set_title(file, "Own")
"""


def test_all_that_was_added_to_a_session_is_given_at_once(tmp_path: Path) -> None:
    file = SessionFile("claude_code", "s", tmp_path)
    assert annotations_of(REF, tmp_path) is NO_ANNOTATIONS
    note = Note(Bookmark("e1", "agent", 40, 1), "why?", 5.0)
    set_note(file, note)
    set_star(file, starred=True)
    set_title(file, "  Own title ")
    set_bookmark(file, Bookmark("e2", "", 7))
    set_seen(file, "", SeenPlace("e3", 90))()
    wanted = Annotations(
        "Own title", True, (note,), (Bookmark("e2", "", 7),), (("", SeenPlace("e3", 90)),)
    )
    assert annotations_of(REF, tmp_path) == wanted
    assert file.path.stat().st_mode & 0o777 == 0o600
    # The place of the log does not matter.
    assert annotations_of(SessionRef("claude_code", "s", "/b/t.jsonl"), tmp_path) == wanted
    kept = AllAnnotations(tmp_path)
    assert kept.load()
    assert kept.of(REF) == wanted
    agent = SessionRef("claude_code", "s", "/a/x", Stream(StreamKind.SUBAGENT, "x"), "s")
    assert kept.of(agent) is NO_ANNOTATIONS
    assert not kept.load()
    set_note(file, Note(note.mark, " "))
    set_star(file, starred=False)
    set_title(file, "")
    assert kept.load()
    assert kept.of(REF) == Annotations(bookmarks=wanted.bookmarks, seen=wanted.seen)


def test_two_instances_lose_nothing_of_each_other(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, name]) for name in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    found = annotations_of(REF, tmp_path)
    events = {note.mark.event for note in found.notes}
    assert events == {f"{name}{number}" for name in "ab" for number in range(20)}
    assert (found.starred, found.title) == (True, "Own")


@pytest.mark.parametrize(
    "fields",
    [
        {"notes": []},
        {"notes": {"e": 1}},
        {"notes": {"e": {"text": 3}}},
        {"notes": {"e": {"text": ""}}},
        {"starred": "yes"},
        {"title": 4},
        {"title": "  "},
    ],
)
def test_what_is_no_annotation_counts_as_none(fields: dict[str, object], tmp_path: Path) -> None:
    file = SessionFile("claude_code", "s", tmp_path)
    tmp_path.mkdir(exist_ok=True)
    file.path.write_text(json.dumps({"provider": "claude_code", "session": "s", **fields}))
    assert annotations_of(REF, tmp_path) == NO_ANNOTATIONS


def test_a_note_is_cut_and_has_a_place_even_where_the_file_has_none(tmp_path: Path) -> None:
    file = SessionFile("claude_code", "s", tmp_path)
    set_note(file, Note(Bookmark("e"), "x" * (LONGEST + 5)))
    fields = file.read()
    fields["notes"] = {"e": {"text": "x" * (LONGEST + 5), "offset": -4, "stream": 3, "at": "now"}}
    file.path.write_text(json.dumps(fields))
    (note,) = annotations_of(REF, tmp_path).notes
    assert note == Note(Bookmark("e"), "x" * LONGEST)
