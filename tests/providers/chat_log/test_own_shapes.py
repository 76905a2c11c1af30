"""Messages of SillyTavern, DeepSeek, LM Studio and of rows of data sets, by what a person sees."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentview.domain.events import Attachment, Message, Reasoning, User
from agentview.domain.tools import ToolCall
from agentview.providers import recognise
from agentview.providers.chat_log import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import joined, shown

FOLDER = sample_sessions_dir() / "chat_log"
LATE = "Which ship is late?"


class Expected(NamedTuple):
    prompts: Sequence[str]
    answers: Sequence[str]
    thoughts: Sequence[str] = ()
    notes: Sequence[str] = ()
    calls: Sequence[str] = ()
    title: str | None = None


CASES = {
    "character.jsonl": Expected(
        [LATE], ["Welcome to the quay.", "The tea ship."], ["Two ships are due."],
        ["The fog lifts."], ["tide"], "Harbour master",
    ),
    "deepseek.json": Expected(
        [LATE, "Where is the tea?"], ["The tea ship.", "In the shed."],
        ["Two are due.", "It was unloaded."], [], ["web_search"], "Tea",
    ),
    "lm_studio.json": Expected(
        [LATE], ["The tea ship."], ["I look."], ["You watch ships."], ["ships"], "Late ships",
    ),
    "rows.jsonl": Expected(
        ["Name two ships.", "Hello", "Say it in French.\n\nThe ship is late.", "Count the crates."],
        ["Tea and rum.", "Bonjour", "Le navire est en retard.", "Four."],
        [], ["You translate."],
    ),
}  # fmt: skip


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_each_message_is_of_who_said_it(name: str, backward: bool):
    path, expected = FOLDER / name, CASES[name]
    assert getattr(recognise(path.read_bytes(), path), "name", None) == PROVIDER.name
    store = joined(PROVIDER, path, backward=backward)
    bodies = [each.body for each in shown(store)]
    assert [each.text for each in bodies if isinstance(each, User)] == [*expected.prompts]
    assert [each.text for each in bodies if isinstance(each, Message)] == [*expected.answers]
    assert [each.text for each in bodies if isinstance(each, Reasoning)] == [*expected.thoughts]
    assert [each.text for each in bodies if isinstance(each, Attachment)] == [*expected.notes]
    made = [each for each in bodies if isinstance(each, ToolCall)]
    assert [each.provider_name for each in made] == [*expected.calls]
    assert all(each.output for each in made)
    best = store.summary.best_title
    assert (best and best[2]) == expected.title


def test_times_of_character_chats_are_read_in_each_form():
    store = joined(PROVIDER, FOLDER / "character.jsonl")
    times = [each.started or 0.0 for each in shown(store)]
    assert times == sorted(times)
    assert times[0] == 1793527200.0


def test_each_request_of_an_answer_counts_its_tokens():
    summary = joined(PROVIDER, FOLDER / "lm_studio.json").summary
    assert (summary.tokens["input_uncached"], summary.tokens["output"]) == (52, 18)


@pytest.mark.parametrize(
    "text",
    [
        '{"prompt": "a", "answer": "b"}',
        '{"instruction": "a"}',
        '{"fragments": [], "inserted_at": 1}',
        '{"mes": "a"}',
        '{"steps": 3, "output": "b"}',
    ],
)
def test_what_is_no_message_is_left_alone(text: str, tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(text + "\n")
    assert recognise(path.read_bytes(), path) is None


def exported(path: Path, document: Any) -> list[Any]:
    """The bodies that a document is shown as."""
    path.write_text(json.dumps(document))
    return [each.body for each in shown(joined(PROVIDER, path))]


def texts(bodies: list[Any], kind: type) -> list[str]:
    return [each.text for each in bodies if isinstance(each, kind)]


def test_settings_that_chatgpt_puts_in_the_persons_place_are_no_prompt(tmp_path: Path):
    def node(own: str, parent: str | None, role: str, content: Any, **metadata: Any) -> Any:
        message = {"id": own, "author": {"role": role}, "content": content, "metadata": metadata}
        return {"id": own, "parent": parent, "message": message}

    context = {"content_type": "user_editable_context", "user_profile": "I am Dana."}
    asked = {"content_type": "text", "parts": [LATE]}
    said = {"content_type": "text", "parts": ["The tea ship."]}
    nodes = [
        node("a", None, "user", context, is_visually_hidden_from_conversation=True),
        node("b", "a", "user", asked),
        node("c", "b", "assistant", said),
    ]
    mapping = {each["id"]: each for each in nodes}
    bodies = exported(tmp_path / "c.json", [{"mapping": mapping, "current_node": "c"}])
    assert texts(bodies, User) == [LATE]
    assert texts(bodies, Attachment) == ["I am Dana."]
    assert texts(bodies, Message) == ["The tea ship."]


THOUGHTS: Mapping[str, Any] = {
    "LibreChat": {
        "isCreatedByUser": False, "sender": "quay-2",
        "content": [{"type": "think", "think": "Two."}, {"type": "text", "text": "The tea ship."}],
    },
    "Open WebUI": {
        "role": "assistant",
        "content": '<details type="reasoning" done="true">\n<summary>Thought</summary>\n&gt; Two.\n'
        "</details>\nThe tea ship.",
    },
    "Grok": {"sender": "assistant", "message": "The tea ship.", "thinking_trace": "Two."},
}  # fmt: skip


@pytest.mark.parametrize("client", THOUGHTS)
def test_thoughts_are_told_from_answers(client: str, tmp_path: Path):
    messages = [{"role": "user", "content": LATE}, THOUGHTS[client]]
    bodies = exported(tmp_path / "c.json", {"title": "Ships", "messages": messages})
    assert texts(bodies, User) == [LATE]
    assert texts(bodies, Reasoning) == ["Two."]
    assert texts(bodies, Message) == ["The tea ship."]


def test_a_time_of_a_database_export_is_a_time(tmp_path: Path):
    path = tmp_path / "c.json"
    date = {"$date": {"$numberLong": "1793527200000"}}
    response = {"sender": "human", "message": LATE, "create_time": date}
    path.write_text(json.dumps({"responses": [{"response": response}]}))
    assert [each.started for each in shown(joined(PROVIDER, path))] == [1793527200.0]
