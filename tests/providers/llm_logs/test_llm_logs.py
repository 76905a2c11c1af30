"""LLM: conversations in the rows of a database, of two versions of its tables."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Attachment, Reasoning, User
from agentview.domain.tools import DeniedBy, ToolCall, ToolState
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.llm_logs import PROVIDER
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.session_store import SessionStore
from tests.providers.joined_log import joined, shown, texts

FOLDER = sample_sessions_dir() / "llm_logs"
DATABASE = FOLDER / "logs.db"
NEW, BOTH, FRAGMENT, OLD_FRAGMENT = (
    "01m8m7jvh1qhyqpm8dydm5vf61",
    "01m8m7d0xh2w47ghazgfr51050",
    "01m8m7k23ytgvm0ngp3skan8ge",
    "01m8m7d4k9v6ek5mek92zmqr53",
)
PROMPTS = ["How many crates are on the piers?", "And on the east pier?", "What is this?"]


def made_calls(store: SessionStore) -> list[ToolCall]:
    return [each.body for each in shown(store) if isinstance(each.body, ToolCall)]


conversations = pytest.mark.parametrize(
    "path",
    [DATABASE / NEW, DATABASE / BOTH, FOLDER / "demo.jsonl", FOLDER / "older.jsonl"],
    ids=lambda path: path.name,
)


def test_the_database_has_rows_of_both_versions():
    with sqlite3.connect(DATABASE) as database:
        (responses,) = database.execute("SELECT count(*) FROM responses").fetchone()
        (turns,) = database.execute("SELECT count(*) FROM turns").fetchone()
        both = database.execute("SELECT id FROM threads INTERSECT SELECT id FROM conversations")
        assert both.fetchall() == [(BOTH,)]
    assert (responses, turns) == (7, 9)


@conversations
def test_a_conversation_is_shown_with_what_came_of_its_calls(path: Path):
    store = joined(PROVIDER, path)
    bodies = [activity.body for activity in shown(store)]
    asked = [body for body in bodies if isinstance(body, User)]
    assert [body.text for body in asked][:3] == PROMPTS
    (image,) = asked[2].blocks
    assert isinstance(image, ImageBlock)
    assert (image.media_type, image.uri) == ("image/png", "/home/dev/quay/quay.png")
    made = made_calls(store)
    assert [(call.provider_name, call.state) for call in made][:4] == [
        ("count_crates", ToolState.OUTPUT_AVAILABLE),
        ("count_crates", ToolState.OUTPUT_ERROR),
        ("llm_time", ToolState.OUTPUT_AVAILABLE),
        ("count_crates", ToolState.OUTPUT_DENIED),
    ]
    assert [json.loads(call.args_json) for call in made][:4] == [
        {"pier": "north"}, {"pier": "south"}, {}, {"pier": "east"},
    ]  # fmt: skip
    assert made[3].denial is not None
    assert made[3].denial.by is DeniedBy.PERSON
    assert [(body.name, body.text) for body in bodies if isinstance(body, Attachment)] == [
        ("system prompt", "You keep the books of a harbour.")
    ]


def test_a_conversation_that_two_versions_wrote_has_its_history_once():
    store = joined(PROVIDER, DATABASE / BOTH)
    bodies = [activity.body for activity in shown(store)]
    asked = [body.text for body in bodies if isinstance(body, User)]
    assert asked == [*PROMPTS, "How late is it?"]
    assert len(made_calls(store)) == 5


@conversations
def test_tokens_are_those_of_the_rows(path: Path):
    usage = joined(PROVIDER, path).summary.usage
    count = 8 if BOTH in path.parts or path.stem == "older" else 6
    sent, cached, said = (2100, 1050, 210) if count == 6 else (2100 + 300, 1050 + 150, 210 + 30)
    assert (usage.input_uncached, usage.input_cached) == (sent - cached, cached)
    assert usage.output == said


def test_a_thought_that_was_withheld_is_shown_as_that():
    bodies = [activity.body for activity in shown(joined(PROVIDER, DATABASE / NEW))]
    thoughts = [body for body in bodies if isinstance(body, Reasoning)]
    assert [(body.text, body.withheld) for body in thoughts] == [("", True)]


@pytest.mark.parametrize("own", [FRAGMENT, OLD_FRAGMENT])
def test_a_fragment_is_context_of_the_prompt(own: str):
    store = joined(PROVIDER, DATABASE / own)
    (prompt,) = [each.body for each in shown(store) if isinstance(each.body, User)]
    assert (prompt.text, prompt.context) == ("What is in the hold?", ("tea,4\nsalt,3\n",))
    assert texts(store) == ["What is in the hold?", "The list has tea and salt. "]


@pytest.mark.parametrize("own", [NEW, BOTH])
def test_an_image_that_the_database_holds_is_shown(own: str, tmp_path: Path):
    path = tmp_path / "logs.db"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE attachments SET content = x'89504e47', path = NULL")
    blocks = [getattr(each.body, "blocks", ()) for each in shown(joined(PROVIDER, path / own))]
    image = ImageBlock("image/png", "iVBORw==", byte_size=4)
    assert [block for each in blocks for block in each] == [image]


@pytest.mark.parametrize("env", [{}, {"LLM_USER_PATH": "books"}])
def test_conversations_are_found_with_what_they_are_about(tmp_path: Path, env: dict[str, str]):
    place = tmp_path / (env.get("LLM_USER_PATH") or ".config/io.datasette.llm")
    place.mkdir(parents=True)
    shutil.copy(DATABASE, place)
    env = {key: str(tmp_path / value) for key, value in env.items()}
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path), **env})
    refs = [ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root)]
    found = {ref.session_id: PROVIDER.info(ref) for ref in refs}
    assert found.keys() == {NEW, BOTH, FRAGMENT, OLD_FRAGMENT}
    assert found[NEW].title == "How many crates are on the pier…"
    assert found[NEW].model == "mock"
    assert PROVIDER.resume_command(found[NEW].ref) == ("llm", "chat", "--cid", NEW)
    log = FOLDER / "demo.jsonl"
    assert recognise(log.read_bytes(), Path("unnamed")) == load_provider("llm_logs")


def test_a_database_of_before_the_newer_tables_is_listed(tmp_path: Path):
    path = tmp_path / "logs.db"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as database:
        for table in ("turns", "threads", "messages", "parts", "part_fragments"):
            database.execute(f"DROP TABLE {table}")
    refs = {ref.session_id: ref for ref in PROVIDER.scan(tmp_path)}
    assert refs.keys() == {BOTH, OLD_FRAGMENT}
    assert len(made_calls(joined(PROVIDER, Path(refs[BOTH].path)))) == 4


def test_messages_that_name_each_other_have_an_end(tmp_path: Path):
    path = tmp_path / "logs.db"
    shutil.copy(DATABASE, path)
    with sqlite3.connect(path) as database:
        database.execute(
            "UPDATE messages SET parent_hash = hash, role = 'user' WHERE hash ="
            " (SELECT parent_message_hash FROM turns WHERE thread_id = ?)",
            (FRAGMENT,),
        )
    assert texts(joined(PROVIDER, path / FRAGMENT))[-1] == "The list has tea and salt. "
