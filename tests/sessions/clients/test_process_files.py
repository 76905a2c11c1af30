"""What Qwen Code and Cline write of the processes of their sessions, beside real processes."""

import json
import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.domain.session_state import (
    SessionState,
    SessionStatus,
    StateEvidence,
    status_now,
)
from agentview.sessions.clients.running import SessionFacts, client_of
from tests.sessions.clients.running_client import SESSION, process, started

CALL = SessionStatus(
    SessionState.WORKING, 50.0, StateEvidence.LOG, certain=False, about="rm -rf build", command=True
)
ASKED = SessionStatus(SessionState.NEEDS_ANSWER, 50.0, StateEvidence.LOG, about="Which style?")
DONE = SessionStatus(SessionState.YOUR_TURN, 50.0, StateEvidence.LOG)
LOOK = 0.11
CHECKED = 1.6


class Home:
    """The directories of a client, with the log of one session."""

    def __init__(self, provider: str, log: Path) -> None:
        self.provider, self.log = provider, log
        log.parent.mkdir(parents=True)

    def state(self, log: SessionStatus = CALL, *, quiet: float = 60.0) -> SessionStatus:
        time.sleep(LOOK)
        now = time.time()
        ref = SessionRef(self.provider, SESSION, str(self.log))
        client = client_of(ref, SessionFacts("0.24.4", status=log, last=now - quiet), now)
        return status_now(log, now - quiet, now, client)


@pytest.fixture
def qwen(tmp_path: Path) -> Home:
    return Home("qwen_code", tmp_path / ".qwen/projects/-w-shop/chats" / f"{SESSION}.jsonl")


@pytest.fixture
def cline(tmp_path: Path) -> Home:
    folder = tmp_path / ".cline/data/sessions" / SESSION
    return Home("cline", folder / f"{SESSION}.messages.json")


def boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def write_listed(home: Home, pid: int, session: str = SESSION, /, **fields: object) -> Path:
    """The entry of a process in the list of Qwen Code."""
    entry = home.log.parents[3] / "sessions" / f"{pid}.json"
    entry.parent.mkdir(exist_ok=True)
    known = {
        "schemaVersion": 1, "pid": pid, "procStart": f"{boot()}:{started(pid)}",
        "pidNs": Path("/proc/self/ns/pid").stat().st_ino, "sessionId": session, "cwd": "/w/shop",
        "name": "shop-93", "startedAt": int(time.time() * 1000), "kind": "tui",
    }  # fmt: skip
    entry.write_text(json.dumps(known | fields))
    return entry


def write_runtime(home: Home, pid: int, **fields: object) -> Path:
    """The file next to a log of Qwen Code."""
    file = home.log.with_suffix(".runtime.json")
    known = {
        "schema_version": 1, "pid": pid, "session_id": SESSION, "work_dir": "/w/shop",
        "hostname": os.uname().nodename, "started_at": time.time(), "qwen_version": "0.24.4",
    }  # fmt: skip
    file.write_text(json.dumps(known | fields))
    return file


def write_state(home: Home, pid: int, status: str, **fields: object) -> Path:
    """The file next to the messages of Cline."""
    file = home.log.with_name(f"{SESSION}.json")
    known = {
        "version": 1, "session_id": SESSION, "source": "cli", "pid": pid, "status": status,
        "started_at": "2026-11-26T02:29:13.331Z", "interactive": True, "cwd": "/w/shop",
    }  # fmt: skip
    file.write_text(json.dumps(known | fields))
    return file


class TestQwenList:
    def test_a_listed_process_has_the_session(self, qwen: Home) -> None:
        with process() as client:
            write_listed(qwen, client.pid)
            # It has started nothing since the call.
            time.sleep(1.2)
            found = qwen.state(replace(CALL, since=time.time() - 3.05))
            assert (found.label, found.evidence) == ("needs-approval?", StateEvidence.PROCESS)
            assert qwen.state(DONE) == DONE
            client.kill()
            time.sleep(CHECKED)
            found = qwen.state()
        assert (found.label, found.evidence) == ("ended", StateEvidence.PROCESS)

    def test_one_that_leaves_the_list_has_ended(self, qwen: Home) -> None:
        with process() as client:
            entry = write_listed(qwen, client.pid)
            qwen.state(DONE)
            entry.unlink()
            assert qwen.state(DONE).label == "ended"
            # A run that is not listed has gone on in it.
            time.sleep(2.2)
            assert qwen.state(DONE, quiet=0.0) == DONE

    def test_clear_leaves_a_session(self, qwen: Home) -> None:
        with process() as client:
            write_listed(qwen, client.pid)
            qwen.state(DONE)
            write_listed(qwen, client.pid, SESSION[:-2] + "77")
            assert qwen.state(DONE).label == "ended"

    def test_whoever_is_not_listed_may_run(self, qwen: Home) -> None:
        with process() as client:
            write_listed(qwen, client.pid, SESSION[:-2] + "77")
            assert qwen.state(DONE) == DONE

    def test_another_process_with_the_number_is_not_the_client(self, qwen: Home) -> None:
        with process() as other:
            write_listed(qwen, other.pid, procStart=f"{boot()}:1")
            found = qwen.state()
        assert (found.label, found.evidence) == ("ended?", StateEvidence.PROCESS)

    @pytest.mark.parametrize("log", [CALL, ASKED, replace(CALL, certain=True)])
    def test_a_process_that_began_after_the_open_turn_does_not_continue_it(
        self, qwen: Home, log: SessionStatus
    ) -> None:
        with process() as client:
            write_listed(qwen, client.pid)
            found = qwen.state(replace(log, since=time.time() - 60))
            assert (found.label, found.about) == ("your-turn?", None)
            assert qwen.state(replace(log, since=time.time()), quiet=0.0).state is log.state

    @pytest.mark.parametrize(
        "field", [{"pidNs": 1}, {"procStart": "0c0c1528-a2ae-400e-9a18-65104f064d2a:77"}]
    )
    def test_one_of_another_place_is_left_to_the_log(
        self, qwen: Home, field: dict[str, object]
    ) -> None:
        with process() as client:
            write_listed(qwen, client.pid, **field)
            assert qwen.state().label == "working?"
            assert qwen.state(DONE) == DONE


class TestQwenRuntimeFile:
    def test_it_stays_when_its_process_has_gone(self, qwen: Home) -> None:
        with process() as client:
            write_runtime(qwen, client.pid)
            assert qwen.state().label == "needs-approval?"
            client.kill()
            time.sleep(CHECKED)
            assert qwen.state().label == "ended"

    def test_nobody_saw_the_process(self, qwen: Home) -> None:
        with process() as client:
            pid = client.pid
        write_runtime(qwen, pid)
        found = qwen.state(DONE)
        assert (found.label, found.evidence) == ("ended?", StateEvidence.PROCESS)

    def test_a_process_that_began_later_is_another_one(self, qwen: Home) -> None:
        with process() as other:
            file = write_runtime(qwen, other.pid)
            os.utime(file, (1_700_000_000, 1_700_000_000))
            assert qwen.state(DONE).label == "ended?"

    def test_one_of_another_machine_is_left_to_the_log(self, qwen: Home) -> None:
        with process() as client:
            pid = client.pid
        write_runtime(qwen, pid, hostname="elsewhere")
        assert qwen.state().label == "working?"

    def test_that_of_others_says_nothing(self, qwen: Home) -> None:
        with process() as client:
            pid = client.pid
        file = write_runtime(qwen, pid)
        target = file.rename(file.with_name("kept"))
        file.symlink_to(target)
        assert qwen.state(DONE) == DONE


class TestClineStateFile:
    @pytest.mark.parametrize(
        ("status", "log", "label", "about"),
        [
            ("pending", CALL, "needs-approval", "rm -rf build"),
            ("running", CALL, "working", "rm -rf build"),
            ("running", ASKED, "needs-answer", "Which style?"),
            # The prompt is in the log once its turn is.
            ("running", DONE, "working", None),
            ("idle", CALL, "your-turn", None),
            ("starting", DONE, "your-turn", None),
        ],
    )
    def test_the_status_of_a_process_that_runs_counts(
        self, cline: Home, status: str, log: SessionStatus, label: str, about: str | None
    ) -> None:
        with process() as client:
            write_state(cline, client.pid, status)
            found = cline.state(log)
        assert (found.label, found.about) == (label, about)
        assert found.evidence is (
            StateEvidence.LOG if status == "starting" else StateEvidence.REGISTRY
        )

    def test_a_status_of_a_process_that_has_gone_does_not(self, cline: Home) -> None:
        with process() as client:
            write_state(cline, client.pid, "pending")
            assert cline.state().label == "needs-approval"
            client.kill()
            time.sleep(CHECKED)
            found = cline.state()
        assert (found.label, found.evidence) == ("ended", StateEvidence.PROCESS)

    def test_a_process_that_began_later_is_another_one(self, cline: Home) -> None:
        with process() as other:
            file = write_state(cline, other.pid, "pending")
            os.utime(file, (1_700_000_000, 1_700_000_000))
            assert cline.state().label == "ended?"

    def test_it_says_that_the_session_is_over(self, cline: Home) -> None:
        with process() as client:
            write_state(
                cline, client.pid, "completed", ended_at="2026-11-26T02:29:38.471Z", exit_code=0
            )
            found = cline.state(DONE, quiet=time.time() - 1_795_660_178.0)
        assert (found.label, found.evidence) == ("ended", StateEvidence.REGISTRY)
        assert found.since == 1_795_660_178.471

    @pytest.mark.parametrize(
        "content", [b"", b"[]", b"{", b"\xff", b'{"session_id": "x", "pid": 1}', b'{"pid": true}']
    )
    def test_an_odd_file_says_nothing(self, cline: Home, content: bytes) -> None:
        write_state(cline, 1, "pending").write_bytes(content)
        assert cline.state().label == "working?"
