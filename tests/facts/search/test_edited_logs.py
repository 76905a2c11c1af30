"""The index knows which logs may have changed a file: never is one left out that did."""

import os
import posixpath
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.facts.edits.edited_names import ANY
from agentview.facts.edits.operations import FileAction
from agentview.facts.edits.session_changes import SessionChanges
from agentview.facts.search import indexer
from agentview.facts.search.edited_logs import EditedLogs
from agentview.facts.search.fts_index import SearchIndex, index_path
from agentview.facts.search.indexer import build_index
from agentview.providers import load_provider
from agentview.providers.session_logs import session_logs
from agentview.sessions.following.whole_session import load_session
from tests.claude_log import ClaudeLog, conversation, write
from tests.facts.edits.clients import Claude
from tests.facts.search.searched import index_of, ref_of, sample_refs


def names_changed(ref: SessionRef) -> set[str]:
    """Last parts of the paths that a session and its agents changed, or gave to a file."""
    changes = SessionChanges(load_session(ref))
    changes.finish()
    steps = (step for file in changes.files.values() for step in file.steps)
    paths = [
        path
        for step in steps
        if step.act is not FileAction.READ
        for path in (step.path, step.move_to)
    ]
    paths += [path for move in changes.moves if move.certain for path in (move.path, move.to)]
    return {posixpath.basename(path) for path in paths if path}


def changed_by(index: SearchIndex, logs: list[SessionRef], name: str) -> bool:
    ids = {log.id for path, log in index.logs().items() if path in {ref.path for ref in logs}}
    return bool(ids & index.editing({name, ANY}))


@pytest.mark.slow
def test_the_index_names_all_that_sample_sessions_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # A new clone has logs that were just written, whose last calls the index leaves for later.
    monkeypatch.setattr(indexer, "SETTLED", float("-inf"))
    refs = sample_refs()
    index = index_of(tmp_path / "index.sqlite", refs)
    looked = 0
    for ref in refs:
        logs = session_logs(load_provider(ref.provider).discovery, ref)
        for name in names_changed(ref):
            assert changed_by(index, logs, name), (ref.path, name)
            looked += 1
    assert looked > 150


def test_a_log_is_known_by_what_its_calls_change_and_by_nothing_else(tmp_path: Path):
    client = Claude({})
    client.write("made.py", "one\n")
    client.read("made.py")
    client.command("mv made.py moved.py && rm -rf build")
    client.command("cat seen.py")
    client.flush()
    path = write(tmp_path / "s.jsonl", [*client.records, client.log.prompt("look at said.py")])
    os.utime(path, (1e9, 1e9))
    index = index_of(tmp_path / "index.sqlite", [ref_of(path)])
    for name in ("made.py", "moved.py", "build"):
        assert index.editing({name}), name
    for name in ("seen.py", "said.py", "ade.py", ANY):
        assert not index.editing({name}), name


def test_a_log_is_whole_until_it_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    log = ClaudeLog()
    path = write(tmp_path / "s.jsonl", conversation(log, 2))
    nothing = EditedLogs()
    assert (nothing.without({"x.py"}), nothing.is_whole(str(path))) == (frozenset(), False)
    list(build_index(index_path(), [ref_of(path)]))
    known = EditedLogs()
    assert (known.without({"x.py"}), known.is_whole(str(path))) == ({str(path)}, False)
    known.close()
    # Nothing more is expected of it.
    os.utime(path, (1e9, 1e9))
    list(build_index(index_path(), [ref_of(path)]))
    known = EditedLogs()
    assert (known.without({"x.py"}), known.is_whole(str(path))) == ({str(path)}, True)
    with path.open("ab") as file:
        file.write(log.prompt("more"))
    again = EditedLogs()
    assert (again.without({"x.py"}), again.is_whole(str(path))) == ({str(path)}, False)
    known.close()
    again.close()
