import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionInfo, SessionRef, Stream, StreamKind
from agentview.domain.session_state import (
    ClientFacts,
    SessionState,
    SessionStatus,
    StateEvidence,
    status_now,
)
from agentview.providers import load_provider
from agentview.sessions.clients import processes, running
from agentview.sessions.clients.processes import Processes, is_command, programs_of
from agentview.sessions.clients.running import SessionFacts, client_of
from agentview.sessions.clients.seen import SeenClients
from agentview.sessions.following.continuation import ContinuationSearch
from agentview.sessions.library.liveness import current_status
from agentview.system.paths import state_dir

SCRIPT = """
import json, os, subprocess, sys, time
log = open(sys.argv[1], "a") if sys.argv[1] != "-" else None
child = None
print("ready", flush=True)
for line in sys.stdin:
    if line.startswith("run"):
        none = subprocess.DEVNULL
        child = subprocess.Popen(
            json.loads(line[3:]), stdin=none, stdout=none, stderr=none, start_new_session=True
        )
    if line.startswith("end"):
        os.killpg(child.pid, 9); child.wait()
    if line.startswith("close"):
        log.close()
    if line.startswith("open"):
        also = open(json.loads(line[4:]), "a")
    print("done", flush=True)
"""


@pytest.fixture(autouse=True)
def nothing_seen(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Forget what other tests saw."""
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path_factory.mktemp("state")))
    another_run(monkeypatch)


def another_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget what only this process knows."""
    monkeypatch.setattr(running, "_processes", Processes())
    monkeypatch.setattr(running, "_seen", SeenClients())


class Client:
    """A process with the name of a client's program, that does what it is told."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def run(self, *line: str) -> None:
        """Start a child with this command line, by default the shell of the command."""
        self.tell(f"run {json.dumps(line or ('sh', '-c', COMMAND))}")

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()


@contextmanager
def client(folder: Path, log: Path | None, name: str = "codex") -> Generator[Client]:
    script = folder / f"{name}.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), "-" if log is None else str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield Client(process)
    finally:
        if process.poll() is None:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()
        process.communicate()


COMMAND = "cd . && sleep 600 && touch done"


def pending(since: float | None = None) -> SessionStatus:
    """A command without a result that has waited for a while."""
    began = time.time() - 5 if since is None else since
    return SessionStatus(
        SessionState.WORKING, began, StateEvidence.LOG, certain=False, about=COMMAND, command=True
    )


def look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the next question look at processes at once."""
    monkeypatch.setattr(running._processes, "_looked", -100.0)  # pyright: ignore[reportPrivateUsage]


def no_more_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have processes stay as they were last found."""
    later = time.monotonic() + 3600
    monkeypatch.setattr(running._processes, "_looked", later)  # pyright: ignore[reportPrivateUsage]


def known(
    log: Path, status: SessionStatus, cwd: Path | None = None, provider: str = "codex"
) -> ClientFacts | None:
    """What is known after a look at processes, where it is time for one."""
    facts(log, status, cwd, provider)
    running.look_at_clients()
    return facts(log, status, cwd, provider)


def facts(
    log: Path, status: SessionStatus, cwd: Path | None = None, provider: str = "codex"
) -> ClientFacts | None:
    now = time.time()
    told = SessionFacts(None, str(cwd) if cwd else None, status, now)
    return client_of(SessionRef(provider, "s1", str(log)), told, now)


def state(log: Path, status: SessionStatus, cwd: Path | None = None) -> SessionStatus:
    now = time.time()
    return status_now(status, now, now, known(log, status, cwd))


def test_a_command_runs_while_a_process_of_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log) as codex:
        # The client began before the call, which waits for longer than a process takes to start.
        time.sleep(1.2)
        waits = state(log, pending(time.time() - 3.05))
        assert (waits.label, waits.evidence) == ("needs-approval?", StateEvidence.PROCESS)
        codex.run()
        look_again(monkeypatch)
        runs = state(log, pending(time.time() - 3.05))
        assert (runs.label, runs.evidence) == ("working", StateEvidence.PROCESS)
        codex.tell("end")
        look_again(monkeypatch)
        assert state(log, pending(time.time() - 3.05)).label == "needs-approval?"
        # A call from before the client began is not its own.
        assert state(log, pending(time.time() - 60)).label == "your-turn?"


def test_a_command_that_ran_does_not_wait_until_its_result_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log) as codex:
        time.sleep(1.2)
        first, second = (replace(pending(time.time() - 3.05), call=each) for each in ("c1", "c2"))
        codex.run()
        assert state(log, first).label == "working"
        codex.tell("end")
        look_again(monkeypatch)
        assert state(log, first).label == "working?"
        # The next one is not known to be allowed.
        assert state(log, second).label == "needs-approval?"


def test_a_helper_that_begins_after_a_call_is_not_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    helper = tmp_path / "codex-code-mode-host"
    # Its own child is no command of the client either.
    helper.write_text("import subprocess; subprocess.run(['sh', '-c', 'sleep 601; true'])")
    with client(tmp_path, log) as codex:
        # The client began before the call, which waits for longer than a process takes to start.
        time.sleep(1.2)
        codex.run(sys.executable, str(helper), "--listen", "grpc+stdio://")
        waits = state(log, pending(time.time() - 3.05))
        assert (waits.label, waits.evidence) == ("needs-approval?", StateEvidence.PROCESS)
        # The log of another call does not say which process it would be.
        unknown = replace(pending(time.time() - 3.05), command=False)
        assert state(log, unknown).label == "working?"
        codex.run("sh", "-c", f"sh -c '{COMMAND}'; true")
        look_again(monkeypatch)
        assert state(log, pending(time.time() - 3.05)).label == "working"


def test_a_look_from_before_a_call_does_not_show_that_its_command_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log):
        time.sleep(1.2)
        assert state(log, pending(time.time() - 1.0)).label == "needs-approval?"
        no_more_looks(monkeypatch)
        called = pending(time.time())
        time.sleep(1.0)
        assert state(log, called).label == "working?"
        look_again(monkeypatch)
        assert state(log, called).label == "needs-approval?"


def rollout(folder: Path, name: str, call: Mapping[str, object], **meta: object) -> Path:
    """A log of Codex with a call that has had no result for a while."""
    moment = datetime.fromtimestamp(time.time() - 1.5, UTC).isoformat().replace("+00:00", "Z")
    records = (
        ("session_meta", {"id": name, "cwd": str(folder), "cli_version": "0.171.0", **meta}),
        ("response_item", {"type": "function_call", "call_id": f"call_{name}", **call}),
    )
    log = folder / f"rollout-2026-11-29T11-05-59-{name}.jsonl"
    log.write_text(
        "".join(
            json.dumps({"timestamp": moment, "type": kind, "payload": payload}) + "\n"
            for kind, payload in records
        )
    )
    return log


def test_an_escalated_command_of_an_agent_waits_until_it_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, agent = (f"01a226fb-b5a6-7073-811d-bb8f535de73{end}" for end in "12")
    spawned = {"parent_thread_id": session}
    escalated = {"cmd": COMMAND, "sandbox_permissions": "require_escalated"}
    log = tmp_path / f"rollout-2026-11-29T11-05-59-{session}.jsonl"
    with client(tmp_path, log) as codex:
        time.sleep(1.2)
        rollout(tmp_path, session, {"name": "wait_agent", "arguments": "{}"}, source="cli")
        rollout(
            tmp_path,
            agent,
            {"name": "exec_command", "arguments": json.dumps(escalated)},
            parent_thread_id=session,
            agent_role="worker",
            source={"subagent": {"thread_spawn": spawned}},
        )
        provider = load_provider("codex")
        ref = provider.session_in(log)
        assert ref is not None
        asks = current_status(provider.info(ref), time.time())
        assert (asks.label, asks.about, asks.agent) == ("needs-approval?", COMMAND, "worker")
        codex.run()
        look_again(monkeypatch)
        runs = current_status(provider.info(ref), time.time())
        assert (runs.label, runs.agent) == ("working?", None)


def test_an_edit_that_is_not_over_at_once_waits_for_approval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"

    def edit(seconds: float) -> SessionStatus:
        return replace(pending(time.time() - seconds), command=False, brief=True)

    # Whoever was to ask is gone, or was never seen.
    assert state(log, edit(3.05)).label == "working?"
    with client(tmp_path, log):
        time.sleep(1.2)
        look_again(monkeypatch)
        assert state(log, edit(-60.0)).label == "working?"
        waits = state(log, edit(3.05))
        assert (waits.label, waits.evidence) == ("needs-approval?", StateEvidence.CLOCK)
        answered = replace(edit(3.05), certain=True)
        assert state(log, answered).label == "working"


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (["bash", "-lc", "npm test"], "npm test"),
        (["/bin/bash", "-c", "source x.sh && eval 'echo '\"'\"'a b'\"'\"' \\| wc' < /dev/null"],
         "echo 'a b' | wc"),
        (["sandbox", "--write", "/w", "--", "bash", "-lc", "make -j2\nmake check"],
         "make -j2\nmake check"),
        # The shell has become the last program of the command.
        (["sleep", "60"], "cd /w && sleep 60"),
        (["/usr/bin/python3", "/usr/bin/pytest", "-q"], "cd /w; pytest -q"),
        (["npm run build"], "npm run build"),
        (["sh", "-c", "make b"], "make a\nmake b"),
    ],
)  # fmt: skip
def test_a_command_is_known_by_its_command_line(line: list[str], command: str) -> None:
    assert is_command(line, command)


@pytest.mark.parametrize(
    ("line", "command"),
    [
        (["/opt/codex/bin/codex-code-mode-host", "--listen", "grpc+stdio://"], "npm test"),
        (["node", "/opt/server-make/index.js"], "make"),
        (["/usr/bin/python3", "-m", "pylsp"], "python3 -m http.server"),
        (["bash"], "bash -c 'rm -rf build'"),
        (["node"], "node build.js"),
        (["sleep", "1"], "sleep 10"),
        ([], "make"),
        (["make"], ""),
        (["make"], "| &&"),
    ],
)
def test_any_other_process_is_not_the_command(line: list[str], command: str) -> None:
    assert not is_command(line, command)


def test_what_ran_before_a_call_is_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log) as codex:
        codex.run()
        time.sleep(2.5)
        # Just called, however slow the machine is.
        assert state(log, pending(time.time() + 60)).label == "working?"
        time.sleep(3.1)
        look_again(monkeypatch)
        assert state(log, pending(time.time() - 3.05)).label == "needs-approval?"


def test_a_client_that_is_killed_has_ended_whatever_it_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    asks = SessionStatus(SessionState.NEEDS_ANSWER, time.time(), StateEvidence.LOG)
    with client(tmp_path, log) as codex:
        assert state(log, asks).label == "needs-answer"
        codex.process.kill()
        codex.process.wait()
        look_again(monkeypatch)
        found = state(log, asks)
        assert (found.label, found.evidence) == ("ended", StateEvidence.PROCESS)
        assert found.since is not None


def test_another_run_knows_which_process_was_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, kept = tmp_path / "rollout.jsonl", state_dir() / "clients.json"
    asks = SessionStatus(SessionState.NEEDS_ANSWER, time.time(), StateEvidence.LOG)
    with client(tmp_path, log) as codex:
        assert state(log, asks).label == "needs-answer"
        assert kept.stat().st_mode & 0o077 == 0
        written = kept.stat().st_ino
        another_run(monkeypatch)
        assert state(log, asks).label == "needs-answer"
        assert kept.stat().st_ino == written
        codex.process.kill()
        codex.process.wait()
    another_run(monkeypatch)
    first = state(log, asks)
    another_run(monkeypatch)
    assert (first.label, first.evidence) == ("ended", StateEvidence.PROCESS)
    assert state(log, asks) == first
    for damaged in (b"", b"{", b"[]", b'{"seen": [1]}', kept.read_bytes()[:-9]):
        kept.write_bytes(damaged)
        another_run(monkeypatch)
        assert state(log, asks).label == "needs-answer"


def test_nobody_has_ended_before_processes_were_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    asks = SessionStatus(SessionState.NEEDS_ANSWER, time.time(), StateEvidence.LOG)

    async def shown() -> str:
        return state(log, asks).label

    with client(tmp_path, log):
        assert state(log, asks).label == "needs-answer"
        another_run(monkeypatch)
        assert asyncio.run(shown()) == "needs-answer"


def test_nobody_has_ended_whose_process_was_never_seen(tmp_path: Path) -> None:
    asks = SessionStatus(SessionState.NEEDS_ANSWER, time.time() - 90, StateEvidence.LOG)
    assert facts(tmp_path / "rollout.jsonl", asks, tmp_path) is None


def test_a_client_that_closes_its_log_has_probably_left_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    done = SessionStatus(SessionState.YOUR_TURN, time.time() - 9, StateEvidence.LOG)
    with client(tmp_path, log) as codex:
        assert state(log, done).label == "your-turn"
        codex.tell("close")
        look_again(monkeypatch)
        monkeypatch.setattr(running._processes, "_files_read", -100.0)  # pyright: ignore[reportPrivateUsage]
        assert state(log, done).label == "ended?"
        # It is in the directory of the session and has no other log: it may still be its client.
        assert facts(log, done, tmp_path) is not None


async def test_a_client_continues_with_the_session_whose_log_it_opens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def look() -> SessionStatus:
        look_again(monkeypatch)
        monkeypatch.setattr(running._processes, "_files_read", -100.0)  # pyright: ignore[reportPrivateUsage]
        return state(log, rests)

    # The folder of the day and the name are what the client gives its logs.
    name = "rollout-2026-11-21T00-08-{}-01a1fb6e-f722-7853-b71d-aeb3f6ceef{}.jsonl"
    log, following = tmp_path / name.format(35, "c4"), tmp_path / name.format(59, "d7")
    rests = SessionStatus(SessionState.YOUR_TURN, time.time(), StateEvidence.LOG)
    ref, began = SessionRef("codex", "c4", str(log)), datetime.now(UTC)
    info, last = SessionInfo(ref, project="/w/shop"), began.timestamp() - 60
    search = ContinuationSearch(load_provider("codex"))
    identity = {"id": following.stem[-36:], "cwd": "/w/shop"}
    record = {"timestamp": began.isoformat(), "type": "session_meta", "payload": identity}
    with client(tmp_path, log) as codex:
        assert look().label == "your-turn"
        assert await search.look(ref, info, last, None, ended=False) is None
        following.write_text(json.dumps(record) + "\n")
        codex.tell(f"open {json.dumps(str(following))}")
        assert look().label == "your-turn"
        # It has both open for a while. It may be the process of two sessions at once.
        found = await search.look(ref, info, last, None, ended=False)
        assert found is not None
        assert (found.ref.path, found.inferred) == (str(following), True)
        assert await search.look(ref, info, began.timestamp() + 60, None, ended=False) is None
        codex.tell("close")
        assert look().label == "ended?"
        found = await search.look(ref, info, last, None, ended=True)
    assert found is not None
    assert (found.ref.path, found.inferred) == (str(following), False)
    assert found.ref.session_id == following.stem[-36:]


def test_a_directory_alone_is_no_certain_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "chat.jsonl"
    with client(tmp_path, None) as codex:
        codex.run()
        found = state(log, pending(time.time() - 4), tmp_path)
        assert (found.label, found.evidence) == ("working?", StateEvidence.PROCESS)
        assert facts(tmp_path / "new.jsonl", pending(), tmp_path / "elsewhere") is None
    with client(tmp_path, tmp_path / "other.jsonl"), client(tmp_path, None):
        look_again(monkeypatch)
        monkeypatch.setattr(running, "_seen", SeenClients())
        one = facts(log, pending(), tmp_path)
        assert one is not None
        assert not one.certain


def test_two_clients_in_a_directory_tell_nothing(tmp_path: Path) -> None:
    with client(tmp_path, None), client(tmp_path, None):
        assert facts(tmp_path / "chat.jsonl", pending(), tmp_path) is None


def test_a_client_has_a_database_open_for_sessions_of_its_directory(tmp_path: Path) -> None:
    database = tmp_path / "opencode.db"
    database.write_bytes(b"SQLite format 3\0")
    log, elsewhere = database / "ses_1", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with client(tmp_path, database, "opencode") as one, client(elsewhere, database, "opencode"):
        found = known(log, pending(), tmp_path, "opencode")
        assert found is not None
        assert (found.alive, found.certain, found.pid) == (True, False, one.process.pid)
        assert found.runs_command is False
        # It began after the last record: the session was another client's.
        old = SessionFacts(None, str(tmp_path), pending(), time.time() - 3600)
        assert client_of(SessionRef("opencode", "s1", str(log)), old, time.time()) is None


def test_a_process_that_only_reads_the_log_is_none_of_its_client(tmp_path: Path) -> None:
    log = tmp_path / "rollout.jsonl"
    log.write_text("{}\n")
    script = tmp_path / "codex.py"
    script.write_text("import sys, time; log = open(sys.argv[1]); print(1, flush=True); input()")
    reader = subprocess.Popen(
        [sys.executable, str(script), str(log)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert reader.stdout is not None
    reader.stdout.readline()
    try:
        assert facts(log, pending()) is None
    finally:
        reader.kill()
        reader.communicate()


def test_agents_have_no_client_of_their_own(tmp_path: Path) -> None:
    log = tmp_path / "rollout.jsonl"
    ref = SessionRef("codex", "s1", str(log), Stream(StreamKind.SUBAGENT, "a1"))
    with client(tmp_path, log):
        now = time.time()
        assert client_of(ref, SessionFacts(status=pending(), last=now), now) is None


async def test_an_event_loop_is_not_held_by_a_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log):
        assert facts(log, pending()) is None
        await asyncio.to_thread(running.look_at_clients)
        known = facts(log, pending())
    assert known is not None
    assert known.certain


def test_a_system_that_says_nothing_is_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"

    def refuse() -> list[int]:
        raise FileNotFoundError("/proc")

    with client(tmp_path, log):
        monkeypatch.setattr(psutil, "pids", refuse)
        assert facts(log, pending()) is None
        assert state(log, pending()).label == "working?"


def test_old_sessions_are_not_looked_for(tmp_path: Path) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log):
        now = time.time()
        told = SessionFacts(status=pending(), last=now - 8 * 86_400)
        assert client_of(SessionRef("codex", "s1", str(log)), told, now) is None
        assert not running._processes.clients()  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    ("command", "names"),
    [
        (["/opt/bin/codex", "--model", "x"], ["codex"]),
        (["codex.exe"], ["codex"]),
        (["node", "/usr/lib/.bin/gemini", "--yolo"], ["gemini"]),
        (["/n/node", "--max-old-space-size=1", "/n/.bin/gemini"], ["gemini"]),
        (["node", "/n/@google/gemini/dist/index.js"], ["gemini"]),
        (["node", "--expose-gc", "/n/@qwen-code/qwen-code/cli.js"], ["qwen-code"]),
        (["python3.12", "-u", "/w/codex.py"], ["codex"]),
        (["gemini --resume latest"], ["gemini"]),
        (["grep", "codex"], ["grep"]),
        ([""], []),
        ([], []),
        (["node"], []),
    ],
)
def test_a_program_goes_by_the_name_of_its_file_or_script(
    command: list[str], names: list[str]
) -> None:
    assert [name for name in programs_of(command) if name] == names


def test_a_look_is_cheap_when_nothing_is_new(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "rollout.jsonl"
    with client(tmp_path, log):
        facts(log, pending())
        looks: list[int] = []
        real = processes._client  # pyright: ignore[reportPrivateUsage]

        def noted(pid: int, *known: object, **more: object) -> object:
            looks.append(pid)
            return real(pid, *known, **more)  # pyright: ignore[reportArgumentType]

        look_again(monkeypatch)
        running.look_at_clients()
        look_again(monkeypatch)
        monkeypatch.setattr(processes, "_client", noted)
        running.look_at_clients()
    assert len(looks) < len(os.listdir("/proc")) / 4  # noqa: PTH208
