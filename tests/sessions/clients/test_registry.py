import asyncio
import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.domain.session_state import (
    Activity,
    ClientFacts,
    SessionState,
    SessionStatus,
    StateEvidence,
    status_now,
)
from agentview.sessions.clients.running import (
    SessionFacts,
    client_of,
    continued_in,
    listed_clients,
    read_lists_again,
)
from tests.sessions.clients.running_client import (
    SESSION,
    here,
    log_of,
    process,
    started,
    write_entry,
)

AT_WORK = SessionStatus(
    SessionState.WORKING, 50.0, StateEvidence.LOG, certain=False, about="rm -rf build", command=True
)
"""A command without a result: it runs, or it waits for approval."""
SETTLED = 0.11
"""Seconds after which the list is looked at again."""
CHECKED = 1.6
"""The same of the processes in it."""


def facts(home: Path, session: str = SESSION, version: str = "2.1.331") -> ClientFacts | None:
    time.sleep(SETTLED)
    now = time.time()
    ref = SessionRef("claude_code", session, str(log_of(home, session)))
    return client_of(ref, SessionFacts(version, last=now - 60), now)


def state(home: Path, log: SessionStatus = AT_WORK) -> SessionStatus:
    return status_now(log, time.time() - 60, time.time(), facts(home))


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"status": "busy"}, SessionState.WORKING),
        ({"status": "idle"}, SessionState.YOUR_TURN),
        ({"status": "shell"}, SessionState.YOUR_TURN),
        ({"status": "waiting", "waitingFor": "permission prompt"}, SessionState.NEEDS_APPROVAL),
        ({"status": "waiting", "waitingFor": "sandbox request"}, SessionState.NEEDS_APPROVAL),
        ({"status": "waiting", "waitingFor": "input needed"}, SessionState.NEEDS_ANSWER),
    ],
)
def test_the_word_of_a_client_that_runs_counts(
    tmp_path: Path, said: dict[str, str], expected: SessionState
) -> None:
    with process() as client:
        write_entry(
            tmp_path,
            client.pid,
            procStart=started(client.pid),
            pidDomain=here(),
            statusUpdatedAt=1_795_548_367_206,
            **said,
        )
        found = state(tmp_path)
    assert (found.state, found.evidence) == (expected, StateEvidence.REGISTRY)
    assert found.certain
    assert found.since == 1_795_548_367.206
    assert found.about == (None if expected is SessionState.YOUR_TURN else "rm -rf build")


def test_a_dialog_is_open_for_what_the_log_says(tmp_path: Path) -> None:
    idle = SessionStatus(SessionState.FAILED, 50.0, StateEvidence.LOG)
    asks = SessionStatus(SessionState.NEEDS_ANSWER, 50.0, StateEvidence.LOG, about="Which?")
    with process() as client:
        write_entry(tmp_path, client.pid, status="waiting", waitingFor="dialog open")
        assert state(tmp_path, idle).state is SessionState.YOUR_TURN
        assert state(tmp_path, asks).state is SessionState.NEEDS_ANSWER
        at_work = state(tmp_path)
    assert at_work.label == "needs-approval?"


def write_job(home: Path, name: str, state: bytes) -> Path:
    """Write the state of a background session, by its folder below that of the client."""
    file = home / ".claude" / name / "state.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(state)
    return file


def test_a_background_session_may_need_its_person_after_a_turn(tmp_path: Path) -> None:
    done = SessionStatus(SessionState.YOUR_TURN, 50.0, StateEvidence.LOG)
    blocked = b'{"state": "blocked", "tempo": "blocked", "needs": "the token"}'
    with process() as client:
        job = {"kind": "bg", "jobId": "3a611a31"}
        write_entry(tmp_path, client.pid, status="idle", procStart=started(client.pid), **job)
        assert state(tmp_path, done) == done
        file = write_job(tmp_path, "jobs/3a611a31", blocked)
        asks = state(tmp_path, done)
        assert (asks.label, asks.about, asks.requests) == ("needs-answer", "the token", 1)
        for said in (b"{" * 100_000, b"[]", b"\xff", blocked.replace(b'"the token"', b"7")):
            file.write_bytes(said)
            assert state(tmp_path, done) == done
        file.write_bytes(blocked.replace(b'"tempo": "blocked"', b'"tempo": "active"'))
        assert state(tmp_path, done) == done
        file.unlink()
        os.mkfifo(file)
        assert state(tmp_path, done) == done
        # While it asks for permission, the log says for what.
        write_job(tmp_path, "jobs/b2", blocked)
        job = {"jobId": "b2", "waitingFor": "permission prompt"}
        write_entry(tmp_path, client.pid, kind="bg", status="waiting", **job)
        assert state(tmp_path).about == "rm -rf build"
        # Until it does, a notification waits for the command.
        assert state(tmp_path, replace(AT_WORK, about=None)).about is None
        write_job(tmp_path, "outside", blocked)
        for other in ({"jobId": "../outside"}, {"jobId": 7}, {"kind": "interactive"}):
            write_entry(
                tmp_path, client.pid, status="idle", **{"kind": "bg", "jobId": "b2", **other}
            )
            assert state(tmp_path, done) == done


def test_a_client_without_a_word_leaves_it_to_the_log(tmp_path: Path) -> None:
    with process() as client:
        write_entry(tmp_path, client.pid, status=None, statusUpdatedAt=None)
        known = facts(tmp_path)
        assert known is not None
        assert (known.alive, known.activity, known.name) == (True, None, "shop-1f")
        now = replace(AT_WORK, since=time.time())
        assert state(tmp_path, now).label == "working?"
        # A process that began since does not continue the call of another one.
        assert state(tmp_path).label == "your-turn?"
        ended = SessionStatus(SessionState.ENDED, 50.0, StateEvidence.LOG)
        assert state(tmp_path, ended).label == "your-turn?"


def test_a_client_that_leaves_the_list_has_ended(tmp_path: Path) -> None:
    with process() as client:
        entry = write_entry(tmp_path, client.pid, procStart=started(client.pid), status="busy")
        assert state(tmp_path).state is SessionState.WORKING
        entry.unlink()
        began = time.time()
        found = state(tmp_path)
    assert (found.state, found.evidence) == (SessionState.ENDED, StateEvidence.REGISTRY)
    assert found.certain
    assert found.since is not None
    assert began <= found.since <= time.time()


def test_a_client_that_was_killed_has_ended(tmp_path: Path) -> None:
    with process() as client:
        write_entry(
            tmp_path,
            client.pid,
            procStart=started(client.pid),
            status="waiting",
            waitingFor="input needed",
        )
        assert state(tmp_path).state is SessionState.NEEDS_ANSWER
        client.kill()
        # It is not waited for: what is left of it in the list of processes is dead too.
        time.sleep(CHECKED)
        found = state(tmp_path)
        assert Path(f"/proc/{client.pid}").exists()
    assert (found.state, found.evidence) == (SessionState.ENDED, StateEvidence.PROCESS)
    assert found.certain
    assert found.since is not None


def test_an_entry_that_was_left_behind_is_of_a_client_that_ended(tmp_path: Path) -> None:
    with process() as client:
        pid, begun = client.pid, started(client.pid)
    write_entry(tmp_path, pid, procStart=begun, pidDomain=here(), status="busy")
    found = state(tmp_path)
    assert (found.state, found.evidence) == (SessionState.ENDED, StateEvidence.PROCESS)
    assert found.certain


@pytest.mark.parametrize("field", [{"procStart": "1"}, {"startedAt": 1_700_000_000_000}])
def test_another_process_with_the_number_is_not_the_client(
    tmp_path: Path, field: dict[str, object]
) -> None:
    with process() as other:
        write_entry(tmp_path, other.pid, pidDomain=here(), status="busy", **field)
        found = state(tmp_path)
    assert (found.state, found.evidence) == (SessionState.ENDED, StateEvidence.PROCESS)


def test_a_client_of_another_machine_is_believed_with_a_doubt(tmp_path: Path) -> None:
    with process() as client:
        pid = client.pid
    write_entry(tmp_path, pid, pidDomain="linux:0123456789abcdef:pid:[4026532999]", status="busy")
    assert state(tmp_path).label == "working?"


def test_after_clear_the_list_has_the_next_session(tmp_path: Path) -> None:
    following = SESSION[:-2] + "77"
    with process() as client:
        write_entry(tmp_path, client.pid, status="busy")
        assert state(tmp_path).state is SessionState.WORKING
        write_entry(tmp_path, client.pid, following, status="idle")
        assert state(tmp_path).state is SessionState.ENDED
        ref = SessionRef("claude_code", SESSION, str(log_of(tmp_path)))
        assert continued_in(ref) == replace(
            ref, session_id=following, path=str(log_of(tmp_path, following))
        )
        assert continued_in(replace(ref, session_id=following)) is None
        known = facts(tmp_path, following)
    time.sleep(CHECKED)
    assert continued_in(ref) is None
    assert known is not None
    assert known.activity is Activity.IDLE


def test_a_process_that_was_started_ahead_has_no_session(tmp_path: Path) -> None:
    projects = tmp_path / ".claude" / "projects"
    with process() as client:
        entry = {"procStart": started(client.pid), "pidDomain": here(), "kind": "bg"}
        write_entry(tmp_path, client.pid, spare=True, **entry)
        ahead = facts(tmp_path)
        assert ahead is None or not ahead.alive
        assert listed_clients([("claude_code", projects)]) == []
        write_entry(tmp_path, client.pid, status="busy", **entry)
        assert state(tmp_path).label == "working"
        assert [each.pid for _, each in listed_clients([("claude_code", projects)])] == [client.pid]


def test_whoever_is_not_in_a_list_that_is_kept_has_probably_ended(tmp_path: Path) -> None:
    assert state(tmp_path).label == "working?"
    with process() as client:
        write_entry(tmp_path, client.pid, SESSION[:-2] + "77")
        found = state(tmp_path)
        assert (found.label, found.evidence) == ("ended?", StateEvidence.REGISTRY)
        # Older clients keep no list, and a client writes its log before its entry.
        assert facts(tmp_path, version="2.1.100") is None
        ref, now = SessionRef("claude_code", SESSION, str(log_of(tmp_path))), time.time()
        assert client_of(ref, SessionFacts("2.1.331", last=now - 0.5), now) is None


def test_of_two_entries_the_one_that_runs_counts(tmp_path: Path) -> None:
    with process() as gone:
        write_entry(tmp_path, gone.pid, status="busy")
    with process() as client:
        write_entry(tmp_path, client.pid, status="idle", statusUpdatedAt=1)
        assert state(tmp_path).state is SessionState.YOUR_TURN


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"null", b'"text"', b"{", b"\xff\xfe", b"[" * 100_000,
        b'{"pid": "12", "sessionId": 4}', b'{"sessionId": "' + SESSION.encode() + b'"}',
        b'{"pid": 1e400, "sessionId": "' + SESSION.encode() + b'"}',
        b'{"pid": true, "sessionId": "' + SESSION.encode() + b'", "status": []}',
        b" " * 200_000 + b"{}",
    ],
)  # fmt: skip
def test_an_odd_entry_says_nothing(tmp_path: Path, content: bytes) -> None:
    write_entry(tmp_path, 4_000_001).write_bytes(content)
    assert facts(tmp_path) is None


def test_an_entry_of_wrong_types_is_taken_as_far_as_it_goes(tmp_path: Path) -> None:
    with process() as client:
        write_entry(
            tmp_path, client.pid, status={"a": 1}, startedAt="soon", name=["x"], procStart=[1],
            statusUpdatedAt=[], updatedAt=1e300, pidDomain=7, waitingFor=3,
        )  # fmt: skip
        known = facts(tmp_path)
    assert known == ClientFacts(alive=True, evidence=StateEvidence.REGISTRY, pid=client.pid)


def test_what_is_no_file_of_ours_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / ".claude" / "sessions"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "41.json")
    (folder / "42.json").mkdir()
    (folder / "43.json").symlink_to(folder / "43.json")
    (folder / "pid-44.json").write_text(f'{{"session_id": "{SESSION}", "cwd": "/w/shop"}}')
    assert facts(tmp_path) is None


def test_an_entry_that_is_being_written_says_what_it_said(tmp_path: Path) -> None:
    with process() as client:
        entry = write_entry(tmp_path, client.pid, status="busy")
        assert state(tmp_path).state is SessionState.WORKING
        entry.write_bytes(b'{"pid":')
        assert state(tmp_path).state is SessionState.WORKING
        write_entry(tmp_path, client.pid, status="idle")
        assert state(tmp_path).state is SessionState.YOUR_TURN


def test_what_is_said_right_after_a_look_is_read_once_it_is_reported(tmp_path: Path) -> None:
    ref = SessionRef("claude_code", SESSION, str(log_of(tmp_path)))
    session = SessionFacts("2.1.331", last=time.time() - 60)
    with process() as client:
        entry = write_entry(tmp_path, client.pid, status="busy", procStart=started(client.pid))
        before = client_of(ref, session, time.time())
        write_entry(
            tmp_path, client.pid, status="waiting", waitingFor="input needed",
            procStart=started(client.pid),
        )  # fmt: skip
        asyncio.run(read_lists_again([entry]))
        after = client_of(ref, session, time.time())
    assert before is not None
    assert before.activity is Activity.BUSY
    assert after is not None
    assert after.activity is Activity.QUESTION
