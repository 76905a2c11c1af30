"""States at moments of the terminal interface: rows as OpenCode 1.18.33 has them at each."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agentview.providers import load_provider
from agentview.providers.base import Provider
from tests.cli.conftest import CommandLine
from tests.providers.joined_log import joined
from tests.providers.opencode.store import PENDING, SESSION, Store, completed, running

OPENCODE = load_provider("opencode")
REJECTED = "The user rejected permission to use this specific tool call."


def begin(store: Store) -> None:
    store.session()
    store.message("msg_1", "user")
    store.part("prt_1", "msg_1", type="text", text="Go.")
    store.message("msg_2", "assistant", modelID="model-1", time={"created": 1})
    store.part("prt_2", "msg_2", type="step-start")
    store.part("prt_3", "msg_2", type="text", text="")


def call(store: Store, own: str, state: dict[str, object], tool: str = "bash") -> None:
    store.part(own, "msg_2", type="tool", tool=tool, callID=f"call_{own}", state=state)


def finish(store: Store, **data: object) -> None:
    """The message is written again when it is complete, behind its parts."""
    store.now += 5
    ended = {"created": store.now - 90, "completed": store.now}
    text = json.dumps({"role": "assistant", "modelID": "model-1", "time": ended, **data})
    sql = "UPDATE message SET data = ?, time_updated = ? WHERE id = 'msg_2'"
    store.run(sql, text, store.now)


def streams(store: Store) -> None:
    begin(store)


def said(store: Store) -> None:
    begin(store)
    store.change("prt_3", type="text", text="I look.", time={"start": 1, "end": 2})


def waits(store: Store) -> None:
    said(store)
    call(store, "prt_4", {**running(""), "metadata": {}})


def queued(store: Store) -> None:
    """A prompt that the person types while the client asks about a command is written at once."""
    waits(store)
    store.message("msg_3", "user")
    store.part("prt_5", "msg_3", type="text", text="And then the other one.")


def queued_behind_a_command(store: Store) -> None:
    runs(store)
    store.message("msg_3", "user")
    store.part("prt_5", "msg_3", type="text", text="And then the other one.")


def passed_over(store: Store) -> None:
    """The client was killed while it asked, and another one goes on."""
    queued(store)
    store.message("msg_4", "assistant", modelID="model-1", time={"created": 2})
    store.part("prt_6", "msg_4", type="text", text="I go on.")


def runs(store: Store) -> None:
    said(store)
    call(store, "prt_4", running("6"))


def asks(store: Store) -> None:
    said(store)
    asked = {"questions": [{"question": "Which style?", "header": "Style"}]}
    call(store, "prt_4", {"status": "running", "input": asked}, "question")


def asks_without_words(store: Store) -> None:
    """The row of a question is there before its words, which a notification waits for."""
    said(store)
    call(store, "prt_4", {"status": "pending", "input": {}}, "question")


def refused(store: Store) -> None:
    """Two calls are refused at once; the later one had begun to run before."""
    said(store)
    call(store, "prt_4", {"status": "error", "input": {}, "error": REJECTED})
    call(store, "prt_5", completed("8 passed"))
    store.part("prt_6", "msg_2", type="step-finish", reason="tool-calls")
    finish(store, finish="tool-calls", tokens={"input": 500, "output": 120})


def refused_with_words(store: Store) -> None:
    said(store)
    error = f"{REJECTED[:-1]} with the following feedback: use git"
    call(store, "prt_4", {"status": "error", "input": {}, "error": error})
    store.part("prt_5", "msg_2", type="step-finish", reason="tool-calls")
    finish(store, finish="tool-calls", tokens={"input": 500, "output": 120})


def stopped(store: Store) -> None:
    said(store)
    call(store, "prt_4", completed("6"))
    error = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    finish(store, error=error)


def stopped_before_the_answer(store: Store) -> None:
    begin(store)
    store.remove("prt_2")
    store.remove("prt_3")
    finish(store, tokens={"input": 0, "output": 0})


def shell_mode(store: Store) -> None:
    begin(store)
    store.remove("prt_2")
    store.remove("prt_3")
    call(store, "prt_4", completed("shell mode"))
    finish(store, tokens={"input": 0, "output": 0})


def ended(store: Store) -> None:
    said(store)
    store.part("prt_4", "msg_2", type="step-finish", reason="stop")
    finish(store, finish="stop", tokens={"input": 500, "output": 120})


MOMENTS: dict[Callable[[Store], None], tuple[str, str | None]] = {
    streams: ("working", None),
    said: ("working", None),
    waits: ("working?", "make test"),
    runs: ("working", "make test"),
    queued: ("working?", "make test"),
    queued_behind_a_command: ("working", "make test"),
    passed_over: ("working", None),
    asks: ("needs-answer", "Which style?"),
    asks_without_words: ("needs-answer", None),
    refused: ("interrupted", None),
    refused_with_words: ("working", None),
    stopped: ("interrupted", None),
    stopped_before_the_answer: ("interrupted", None),
    shell_mode: ("your-turn", None),
    ended: ("your-turn", None),
}


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.__name__)
def test_the_list_and_the_screen_say_what_the_client_shows(
    moment: Callable[[Store], None], tmp_path: Path
) -> None:
    store = Store(tmp_path / "opencode.db")
    store.now = int(time.time() * 1000)
    moment(store)
    provider: Provider = OPENCODE
    shown = joined(provider, store.log()).log_status()
    listed = provider.info(provider.discovery.ref(store.log())).status
    store.close()
    assert (shown.label, shown.about) == MOMENTS[moment]
    assert (listed.label, listed.about) == MOMENTS[moment]


@pytest.mark.slow
def test_a_state_is_seen_that_the_row_of_the_session_does_not_tell(tmp_path: Path) -> None:
    """The client writes parts and messages without the row of the session."""
    store = Store(tmp_path / ".local" / "share" / "opencode" / "opencode.db")
    agentview = CommandLine(tmp_path, tmp_path)
    store.now = int(time.time() * 1000)
    said(store)
    call(store, "prt_4", PENDING)

    def state() -> str:
        (listed,) = json.loads(agentview("ls", "--json").stdout)
        assert listed["id"] == SESSION
        return str(listed["state"])

    assert state() == "working"
    store.change("prt_4", type="tool", tool="bash", callID="call_prt_4", state=completed("8"))
    assert state() == "working"
    error = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    finish(store, error=error)
    assert state() == "interrupted"
    store.close()


def test_how_a_message_ended_stands_behind_its_parts(tmp_path: Path) -> None:
    store = Store(tmp_path / "opencode.db")
    stopped(store)
    session = joined(OPENCODE, store.log())
    shown = [session.event(row) for row in range(session.first, session.end) if session.shown(row)]
    assert [event.suffix for event in shown] == ["text", "text", "call", "error"]
    store.close()
