"""Histories of Aider: prompts, responses with their changes, and the words of the client."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import (
    Attachment,
    Event,
    Message,
    Notification,
    Reasoning,
    SlashCommand,
    Topic,
    User,
)
from agentview.domain.record_ref import SourceRef
from agentview.domain.session import SessionRef
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import EditPayload, TextEdit, WritePayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.providers.aider import PROVIDER
from agentview.providers.aider.changes import parts
from agentview.providers.aider.discovery import DISCOVERY
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined

SAMPLE = sample_sessions_dir() / "aider" / "demo.chat.history.md"
BEGIN = "\n# aider chat started at 2026-11-23 02:01:27\n\n"


def events(data: bytes) -> list[Event]:
    ref = SessionRef("aider", "s", "/quay/.aider.chat.history.md")
    return [
        event
        for start, end in DISCOVERY.split(data)
        for event in PROVIDER.decode(data[start:end], SourceRef("s", start, end - start), ref)
    ]


def bodies(text: str) -> list[Any]:
    return [event.body for event in events((BEGIN + text).encode())][1:]


def calls(path: Path) -> list[ToolCall]:
    store = joined(PROVIDER, path)
    rows = (store.activity(row).body for row in range(store.first, store.end))
    return [body for body in rows if isinstance(body, ToolCall)]


def test_all_changes_are_shown_with_what_became_of_them():
    text = SAMPLE.read_text()
    asked = text.count("```python\n<<<<<<< SEARCH")
    found = calls(SAMPLE)
    assert len(found) == asked
    failed = [call for call in found if call.state is ToolState.OUTPUT_ERROR]
    assert len(failed) == text.count("failed to match!")
    assert [call.ok for call in found] == [False, True, True]
    assert all(call.kind is ToolKind.EDIT for call in found)
    assert isinstance(found[1].payload, EditPayload)
    assert found[1].payload.files[0].edits == (
        TextEdit('    return "Hello, " + name\n', '    return f"Hello, {name}!"\n'),
    )


def test_tokens_are_as_the_client_rounds_them():
    found = re.findall(r"Tokens: ([\d.]+)k sent, (\d+) received", SAMPLE.read_text())
    usage = joined(PROVIDER, SAMPLE).summary.usage
    assert usage.input_uncached == sum(round(float(sent) * 1000) for sent, _ in found)
    assert usage.output == sum(int(received) for _, received in found)


def test_each_byte_is_of_a_record_or_blank():
    data = SAMPLE.read_bytes()
    at = 0
    for start, end in DISCOVERY.split(data):
        assert not data[at:start].strip()
        at = end
    assert not data[at:].strip()


def test_a_history_has_title_model_version_and_state(tmp_path: Path):
    path = tmp_path / "quay" / ".aider.chat.history.md"
    path.parent.mkdir()
    path.write_bytes(SAMPLE.read_bytes())
    (ref,) = PROVIDER.scan(tmp_path)
    assert ref.session_id == "quay"
    info = PROVIDER.info(ref)
    assert (info.title or "").startswith("Please do the scripted work.")
    assert (info.model, info.client_version) == ("openai/mock-model", "0.86.2")
    assert info.project == str(path.parent)
    assert info.status.state is SessionState.YOUR_TURN
    assert PROVIDER.resume_command(ref) == ("aider", "--restore-chat-history")


def test_a_thought_is_none_of_the_words():
    found = events(SAMPLE.read_bytes())
    assert [e.body.text for e in found if isinstance(e.body, Reasoning)] == ["Two edits."]
    said = [e.body.text for e in found if isinstance(e.body, Message)]
    assert said == ["This block does not match.", "I will change two things.", "and"]


def test_headings_and_quotes_of_the_model_are_its_words():
    found = bodies(
        "#### Unload.  \n\n#### Plan\n\n> not now\n\nDone.\n\n> Tokens: 1k sent, 5 received.  \n"
    )
    assert found[0] == User("Unload.")
    assert found[1] == Message("#### Plan\n\n> not now\n\nDone.")


def test_a_command_and_the_prompt_in_it_are_two():
    found = bodies("#### /ask why?  \n\n#### why?  \n\nBecause.\n")
    assert found[:2] == [SlashCommand("/ask", "why?"), User("why?")]


def test_a_prompt_may_have_several_lines():
    assert bodies("#### one  \n#### two  \n")[0] == User("one\ntwo")


def test_a_file_as_a_whole_is_a_change_where_it_was_applied():
    said = "Here:\n\nsrc/tea.py\n```python\nx = 1\n```\n\n"
    found = bodies(
        f"#### go  \n\n{said}> Tokens: 1k sent, 5 received.  \n> Applied edit to src/tea.py  \n"
    )
    call = next(body for body in found if isinstance(body, ToolCall))
    assert call.payload == WritePayload("src/tea.py", "x = 1\n")
    assert not any(isinstance(body, ToolCall) for body in bodies(f"#### go  \n\n{said}"))


def test_a_failed_request_and_an_interrupt_are_seen():
    found = bodies("#### go  \n\n> litellm.BadRequestError: no  \n")
    assert isinstance(found[-1], Notification)
    assert (found[-1].topic, found[-1].failed) == (Topic.API_ERROR, True)
    found = bodies("#### go  \n\n> litellm.RateLimitError: no  \n> Retrying in 0.2 seconds...  \n")
    assert isinstance(found[-1], Notification)
    assert not found[-1].failed
    found = bodies("#### go  \n\nBut\n\n> ^C again to exit  \n")
    assert isinstance(found[-1], Notification)
    assert found[-1].topic is Topic.INTERRUPT


def test_histories_without_blanks_at_the_ends_are_read():
    found = bodies("#### add a retry\nI will.\n\n> Applied edit to a.py\n")
    assert found[0] == User("add a retry")
    assert found[1] == Message("I will.")
    assert isinstance(found[2], Attachment)


def test_other_markdown_is_none():
    assert PROVIDER.discovery.probe(b"# Notes\n\n# aider chat started at noon\n", Path("x")) == 0


def test_what_is_cut_or_changed_is_survived():
    data = SAMPLE.read_bytes()
    chance = random.Random(7)  # noqa: S311
    pieces = data.split(b"\n")
    for _ in range(400):
        lines = [line for line in pieces if chance.random() > 0.2]
        chance.shuffle(lines)
        changed = BEGIN.encode() + b"\n".join(lines)[: chance.randrange(len(data))]
        assert events(changed)


@pytest.mark.parametrize("line", ["```a", "<<<<<<< SEARCH", "<pre>", "```a\nx"])
def test_fences_without_an_end_take_no_longer_than_their_length(line: str):
    said = "\n".join([line] * 40_000)
    assert "\n".join(str(part) for part in parts(said, ())) == said
