"""Messages between machines: what has the same form is read, and anything else is refused."""

import random
import subprocess
import sys

import msgspec
import pytest

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.usage import Usage
from agentview.sessions.fleet.connection import update_sentence
from agentview.sessions.fleet.hosts import chosen_machines
from agentview.sessions.fleet.protocol import (
    HEADER,
    Hello,
    ProtocolError,
    Sessions,
    SessionsRequest,
    TurnRequest,
    Used,
    is_understood,
    length_of,
    packed,
    protocol,
    protocols,
    unpacked_answer,
    unpacked_request,
)
from agentview.sessions.fleet.sessions import messages_of, sessions_of
from agentview.sessions.library.session_record import SessionFacts, SessionTotals
from agentview.sessions.targets.session_search import SearchRequest
from agentview.timeline.view.cost import Cost

MORE = """session.SessionInfo = type('SessionInfo', (session.SessionInfo,), {
            '__annotations__': {'more': Optional[int]}, 'more': None,
            '__module__': 'agentview.domain.session'})"""
"""Gives sessions another field."""
(HOST,) = chosen_machines(["dev@build:22"], {}).hosts


def test_the_protocol_changes_with_the_form_of_a_message_only():
    program = """if True:
        from typing import Optional
        from agentview.domain import session
        {change}
        from agentview.sessions.fleet.protocol import protocol
        print(protocol())
    """
    made = [
        subprocess.run(
            [sys.executable, "-c", program.format(change=change)],
            check=True, capture_output=True, text=True,
        ).stdout.strip()
        for change in (
            "pass",
            "session.SessionInfo.__doc__ = 'Another text.'",
            MORE,
        )
    ]  # fmt: skip
    assert made[0] == made[1] == protocol()
    assert made[2] != made[0]


def test_a_request_is_understood_where_its_own_forms_are_the_same():
    mine = protocols()
    assert len({*mine.values()}) == len(mine) == 5
    newer = Hello("9.9", "another", {**mine, "search": "another", "new": "one"})
    assert is_understood(newer, SessionsRequest())
    assert is_understood(newer, TurnRequest("codex", b"/x"))
    assert not is_understood(newer, SearchRequest("retry"))
    # One from before there were several.
    assert not is_understood(Hello("0.2.0", "another"), SessionsRequest())
    assert is_understood(Hello("0.2.0", protocol()), SessionsRequest())


@pytest.mark.parametrize(
    ("there", "here", "sentence"),
    [
        ("0.2.0", "0.3.0", "Install agentview 0.3.0 there."),
        ("0.10.0", "0.9.0", "Install agentview 0.10.0 here."),
        ("0.3.0", "0.3.0", "Install the same version on both machines."),
    ],
)
def test_the_older_of_two_versions_is_to_be_replaced(there: str, here: str, sentence: str):
    assert update_sentence(there, here) == sentence


def test_what_is_packed_is_read():
    request = SessionsRequest("codex", totals=True)
    data = packed(request)
    assert length_of(data[:HEADER]) == len(data) - HEADER
    assert unpacked_request(data[HEADER:]) == request


def facts(path: str = "/logs/a.jsonl", **fields: object) -> SessionFacts:
    ref = SessionRef("claude_code", "s", path, modified=1.0, size=2)
    totals = SessionTotals(2, 1.0, 1, {}, (), 0, (), (), Usage(), Cost(client=0.5))
    return SessionFacts(SessionInfo(ref, **fields), totals)  # pyright: ignore[reportArgumentType]


def sent(*found: SessionFacts) -> list[SessionFacts]:
    messages = [unpacked_answer(packed(message)[HEADER:]) for message in messages_of(found)]
    return [each for message in messages for each in sessions_of(message, HOST).facts]


def test_a_session_has_the_machine_that_it_is_on():
    (found,) = sent(facts("/logs/a b\udcff.jsonl", title="A title"))
    assert found.info.ref.path == "ssh://dev@build:22/logs/a%20b%FF.jsonl"
    assert found.info.ref.host == "dev@build:22"
    assert found.info.title == "A title"
    assert found.totals is not None
    assert found.totals.cost == Cost(client=0.5)


@pytest.mark.parametrize("path", ["../../etc/passwd", "ssh://other/x", "C:\\x", "/\x1b[2J\n", ""])
def test_no_path_leads_to_another_machine_or_to_this_one(path: str):
    (found,) = sent(facts(path))
    assert found.info.ref.path.startswith("ssh://dev@build:22/")
    assert found.info.ref.path.isprintable()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_what_is_not_a_number_is_refused(number: float):
    for wrong in (facts(started=number), facts(last_activity=number)):
        with pytest.raises(ProtocolError):
            sent(wrong)
    costly = facts()
    assert costly.totals is not None
    totals = msgspec.structs.replace(costly.totals, cost=Cost(client=number))
    with pytest.raises(ProtocolError):
        sent(msgspec.structs.replace(costly, totals=totals))


def test_halves_of_characters_are_sent():
    ref = SessionRef("claude_code", "s\ud800", "")
    used = Used(b"/x\xff", SessionInfo(ref, title="\udfff"), None, is_agent=False, trouble=None)
    read = unpacked_answer(packed(used)[HEADER:])
    assert isinstance(read, Used)
    assert (read.path, read.info.title) == (b"/x\xff", "?")


def test_many_sessions_are_many_messages():
    every = [facts(f"/logs/{number}.jsonl") for number in range(1_000)]
    assert len(list(messages_of(every))) > 1
    assert len(sent(*every)) == 1_000


def test_any_bytes_are_read_or_refused():
    rng = random.Random(3)  # noqa: S311  (not a secret)
    (message,) = messages_of([facts(title="A title")])
    body = packed(message)[HEADER:]
    for _ in range(3_000):
        data = bytearray(body)
        for _ in range(rng.randint(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        try:
            answer = unpacked_answer(bytes(data))
            if isinstance(answer, Sessions):
                sessions_of(answer, HOST)
        except ProtocolError:
            continue
    with pytest.raises(ProtocolError):
        unpacked_answer(b"\x91" * 100_000)
