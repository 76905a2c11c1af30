"""Messages of SillyTavern, DeepSeek, LM Studio and of rows of data sets, by what a person sees."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

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
