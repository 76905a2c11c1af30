import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentview.domain.session_state import SessionState, SessionStatus, StateEvidence
from agentview.providers import load_provider
from agentview.sessions.clients.running import look_at_clients, look_at_lists
from agentview.sessions.library.liveness import current_status
from tests.claude_log import ClaudeLog, conversation, write
from tests.sessions.clients.running_client import (
    SESSION,
    log_of,
    process,
    started,
    write_entry,
)

DEEP = "touch deep.txt; echo deep"
WAITS = {"status": "waiting", "waitingFor": "permission prompt"}


@contextmanager
def waiting_client(home: Path, session: str = SESSION) -> Generator[None]:
    """A client that began two minutes ago and waits for an approval."""
    began = int((time.time() - 120) * 1000)
    with process() as client:
        write_entry(
            home, client.pid, session, procStart=started(client.pid), startedAt=began, **WAITS
        )
        yield


def agent_log(home: Path, name: str, title: str, began: float, *commands: str) -> None:
    """The log of an agent with calls of a shell, the last of which has no result."""
    log = ClaudeLog(SESSION, agent=name, began=began)
    records = [log.prompt("Do it")]
    for number, command in enumerate(commands):
        if number:
            records.append(log.result(f"{name}{number - 1}", "done"))
        records.append(log.call(f"{name}{number}", "Bash", command=command))
    folder = log_of(home).with_suffix("") / "subagents"
    write(folder / f"agent-{name}.jsonl", records)
    (folder / f"agent-{name}.meta.json").write_text(f'{{"description": "{title}"}}')


def session_log(home: Path, began: float, *, waits: bool) -> Path:
    """A session that started an agent, and waits for it or has ended its turn."""
    log = ClaudeLog(SESSION, began=began)
    records = conversation(log, 1)
    records.append(log.call("task", "Task", description="Delegates", prompt="Go"))
    if not waits:
        records.append(log.result("task", "Launched in the background"))
        records.append(log.text("The agent works.", stop="end_turn"))
    return write(log_of(home), records)


def status(log: Path) -> SessionStatus:
    provider = load_provider("claude_code")
    ref = provider.session_in(log)
    assert ref is not None
    look_at_lists()
    return current_status(provider.info(ref), time.time())


@pytest.mark.parametrize("waits", [True, False])
def test_the_command_of_an_agent_is_what_a_session_asks_for(tmp_path: Path, waits: bool) -> None:
    now = time.time()
    log = session_log(tmp_path, now - 60, waits=waits)
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, "ls", DEEP)
    agent_log(tmp_path, "a2", "Counts", now - 20, "wc -l *.py")
    with waiting_client(tmp_path):
        found = status(log)
    assert (found.state, found.evidence) == (SessionState.NEEDS_APPROVAL, StateEvidence.REGISTRY)
    assert found.certain
    assert (found.agent, found.about) == ("Grandchild work", DEEP)
    assert found.subject == f"Grandchild work: {DEEP}"
    assert found.requests == 2
    assert found.queued_subject == f"1 of 2: Grandchild work: {DEEP}"


def test_a_call_of_the_session_itself_comes_before_those_of_agents(tmp_path: Path) -> None:
    now = time.time()
    log = ClaudeLog(SESSION, began=now - 30)
    records = [*conversation(log, 1), log.call("b", "Bash", command="rm -rf build")]
    path = write(log_of(tmp_path), records)
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP)
    with waiting_client(tmp_path):
        found = status(path)
    assert (found.agent, found.about) == (None, "rm -rf build")
    assert found.queued_subject == "1 of 2: rm -rf build"


def test_calls_that_another_client_left_open_are_not_asked_for(tmp_path: Path) -> None:
    now = time.time()
    log = session_log(tmp_path, now - 60, waits=False)
    agent_log(tmp_path, "a1", "Killed long ago", now - 4000, DEEP)
    with waiting_client(tmp_path):
        found = status(log)
    assert found.state is SessionState.NEEDS_APPROVAL
    assert (found.agent, found.about) == (None, None)


def test_an_event_loop_has_the_request_after_the_next_look(tmp_path: Path) -> None:
    now = time.time()
    log = session_log(tmp_path, now - 60, waits=False)
    for number in range(40):
        agent_log(tmp_path, f"b{number}", f"Part {number}", now - 30 + number % 20, "make")
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP)

    async def on_loop() -> tuple[SessionStatus, SessionStatus]:
        status(log)
        await asyncio.to_thread(look_at_clients)
        before = status(log)
        agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP, "make install")
        await asyncio.sleep(0.35)
        status(log)
        await asyncio.to_thread(look_at_clients)
        return before, status(log)

    with waiting_client(tmp_path):
        before, after = asyncio.run(on_loop())
    assert before.about == DEEP
    assert after.about == "make install"


def test_a_command_that_was_open_before_the_client_waited_is_not_asked_for(tmp_path: Path) -> None:
    now = time.time()
    log = session_log(tmp_path, now - 60, waits=False)
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP)

    async def on_loop(pid: int) -> tuple[SessionStatus, SessionStatus]:
        entry = {"procStart": started(pid), "startedAt": int((now - 120) * 1000)}
        write_entry(tmp_path, pid, **entry, **WAITS)
        status(log)
        await asyncio.to_thread(look_at_clients)
        assert status(log).about == DEEP
        # The command ends, and the client asks for another one, which no log has yet.
        agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP, "make")
        waits = {**WAITS, "statusUpdatedAt": int((time.time() + 0.001) * 1000)}
        write_entry(tmp_path, pid, **entry, **waits)
        await asyncio.sleep(0.15)
        await asyncio.to_thread(look_at_lists)
        before = status(log)
        await asyncio.to_thread(look_at_clients)
        return before, status(log)

    with process() as client:
        before, after = asyncio.run(on_loop(client.pid))
    assert (before.label, before.about) == ("needs-approval", None)
    assert after.about == "make"


def test_a_question_is_not_that_of_a_command_of_an_agent(tmp_path: Path) -> None:
    now = time.time()
    log = session_log(tmp_path, now - 60, waits=False)
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP)
    with process() as client:
        began = {"procStart": started(client.pid), "startedAt": int((now - 120) * 1000)}
        waits = {"status": "waiting", "waitingFor": "input needed"}
        write_entry(tmp_path, client.pid, **began, **waits)
        found = status(log)
    assert (found.label, found.agent, found.about) == ("needs-answer", None, None)


def test_sessions_of_one_project_have_their_own_agents(tmp_path: Path) -> None:
    now = time.time()
    other = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0002"
    agent_log(tmp_path, "a1", "Grandchild work", now - 40, DEEP)
    log = ClaudeLog(other, began=now - 30)
    path = write(log_of(tmp_path, other), conversation(log, 1))
    with waiting_client(tmp_path, other):
        found = status(path)
    assert (found.state, found.about) == (SessionState.NEEDS_APPROVAL, None)
