"""Sessions of Goose, in the database and as older files, against what is written in them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Compaction, Message, Reasoning, User
from agentview.domain.session import StreamKind
from agentview.domain.session_state import SessionState
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers.goose import PROVIDER
from agentview.sessions.following.live_session import LiveSession
from agentview.system.paths import sample_sessions_dir
from tests.patience import until
from tests.providers.goose.store import (
    AGENT,
    CONVERSATION,
    LEDGER,
    MAIN,
    insert,
    older,
    request,
    response,
    say,
    write,
)
from tests.providers.joined_log import calls, joined, shown

FOLDER = sample_sessions_dir() / "goose"
KINDS = {
    "c1": ToolKind.SHELL,
    "c2": ToolKind.READ,
    "c3": ToolKind.EDIT,
    "c4": ToolKind.SHELL,
    "c5": ToolKind.MCP,
    "c6": ToolKind.TODOS,
    "c7": ToolKind.UNKNOWN,
    "c8": ToolKind.SUBAGENT_TASK,
}


@pytest.fixture(params=["demo", "older"])
def path(request: pytest.FixtureRequest) -> Path:
    return FOLDER / f"{request.param}.jsonl"


def test_the_samples_are_what_the_store_writes(tmp_path: Path):
    assert (FOLDER / "older.jsonl").read_bytes() == older()
    write(tmp_path / "sessions.db")
    refs = PROVIDER.scan(tmp_path / "sessions.db")
    assert [ref.session_id for ref in refs] == [MAIN, AGENT]


def test_each_call_is_shown_with_its_kind_and_its_outcome(path: Path):
    made = calls(joined(PROVIDER, path))
    asked = [p["id"] for _, parts in CONVERSATION for p in parts if p["type"] == "toolRequest"]
    assert list(made) == asked
    assert {own: call.kind for own, call in made.items()} == KINDS
    failed = {own for own, call in made.items() if call.ok is False}
    assert failed == {"c3", "c4", "c5", "c7"}
    assert made["c3"].error == "The text is not in the file."
    assert made["c7"].error == "no such tool: winch"


def test_results_and_refusals_are_typed(path: Path):
    made = calls(joined(PROVIDER, path))
    assert made["c1"].result == ShellResult(output="grease.txt\n")
    assert made["c4"].result == ShellResult(stdout="", stderr="jammed", exit_code=3)
    denied = made["c5"]
    assert denied.state is ToolState.OUTPUT_DENIED
    assert denied.denial is not None
    assert denied.denial.by is DeniedBy.PERSON


def test_who_said_what(path: Path):
    bodies = [activity.body for activity in shown(joined(PROVIDER, path))]
    (prompt,) = [body for body in bodies if isinstance(body, User)]
    assert prompt.text == "Grease the crane."
    assert isinstance(prompt.blocks[0], ImageBlock)
    assert [b.text for b in bodies if isinstance(b, Reasoning)] == ["First the shed."]
    assert [b.text for b in bodies if isinstance(b, Message)] == [
        "I look.",
        "The crane is greased.",
    ]


def test_tokens_are_those_of_the_ledger_or_of_the_header():
    summary = joined(PROVIDER, FOLDER / "demo.jsonl").summary
    given = sum(row[0] for row in LEDGER)
    tokens = summary.tokens
    assert tokens["output"] == sum(row[1] for row in LEDGER)
    assert tokens["input_cached"] == sum(row[2] for row in LEDGER)
    assert tokens["input_uncached"] == given - sum(row[2] + row[3] for row in LEDGER)
    assert abs((summary.cost or 0) - sum(row[4] for row in LEDGER)) < 1e-9
    total = joined(PROVIDER, FOLDER / "older.jsonl").summary.total
    assert total is not None
    assert (total[1].input_uncached, total[1].output) == (400, 60)


def test_a_compaction_is_known_by_the_ledger():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FOLDER / "demo.jsonl"))]
    assert len([body for body in bodies if isinstance(body, Compaction)]) == 1


def test_what_a_session_is_doing_and_what_it_is_about(path: Path):
    info = PROVIDER.info(PROVIDER.discovery.ref(path))
    assert (info.title, info.project) == ("Grease the crane", "/home/dev/quay")
    assert info.state is SessionState.YOUR_TURN


def test_an_agent_is_a_session_of_its_own():
    main, agent = PROVIDER.scan(FOLDER / "sessions.db")
    assert [ref.session_id for ref in PROVIDER.discovery.children(main)] == [agent.session_id]
    assert agent.stream.kind is StreamKind.SUBAGENT
    assert PROVIDER.resume_command(agent) is None
    assert PROVIDER.resume_command(main) == ("goose", "session", "--resume", "--session-id", MAIN)


async def test_a_session_is_followed_while_rows_are_added(tmp_path: Path):
    path = tmp_path / "sessions.db"
    write(path)
    session = LiveSession(PROVIDER, PROVIDER.discovery.ref(path / MAIN), live=True)
    session.open()
    session.start()

    def bodies() -> list[object]:
        rows = (
            row for row in range(session.store.first, session.store.end) if session.store.shown(row)
        )
        return [session.store.activity(row).body for row in rows]

    def made() -> list[ToolCall]:
        return [body for body in bodies() if isinstance(body, ToolCall)]

    await until(lambda: session.store.indexed and len(made()) == len(KINDS))
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        insert(connection, MAIN, 50, "assistant", [request("c9", "shell", command="date")])
        await until(lambda: made()[-1].call_id == "c9")
        assert made()[-1].state is ToolState.INPUT_AVAILABLE
        insert(connection, MAIN, 51, "user", [response("c9", "Tuesday")])
        insert(connection, MAIN, 52, "assistant", [say("It is Tuesday.")])
        await until(lambda: made()[-1].state is ToolState.OUTPUT_AVAILABLE)
        await until(lambda: bodies()[-1] == Message("It is Tuesday.", ends_turn=True))
    session.close()


def test_lines_of_other_programs_are_not_taken():
    probe = PROVIDER.discovery.probe
    assert probe(b'{"role": "user", "content": "Hello"}\n', Path("x.jsonl")) == 0
    assert probe(b'{"working_dir": "/x"}\n', Path("x.jsonl")) == 0
    assert probe(b'{"role": "user", "created": 1, "content": []}\n', Path("x.jsonl")) == 0


def test_where_sessions_are():
    roots = PROVIDER.discovery.roots
    assert roots({"HOME": "/h"}) == [
        Path("/h/.local/share/goose/sessions"),
        Path("/h/AppData/Roaming/Block/goose/data/sessions"),
        Path("/h/AppData/Roaming/Block/goose/sessions"),
    ]
    assert roots({"HOME": "/h", "GOOSE_PATH_ROOT": "/g"}) == [Path("/g/data/sessions")]
