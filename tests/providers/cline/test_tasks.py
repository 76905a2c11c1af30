"""Tasks of the extensions, joined as they are shown, against a plain reading of the files."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.content import ImageBlock
from agentview.domain.events import Attachment, Compaction, Message, Reasoning, User
from agentview.domain.session_state import SessionState
from agentview.domain.tool_inputs import EditPayload, FileEdit, TextEdit, TodosPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolCall, ToolKind, ToolState
from agentview.providers import recognise
from agentview.providers.cline.cline_tasks import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts

FOLDER = sample_sessions_dir() / "cline_tasks"
DONE = FOLDER / "1795000000000" / "ui_messages.json"
ASKS = FOLDER / "1795000100000" / "ui_messages.json"
SENT = FOLDER / "1795000200000" / "api_conversation_history.json"


def counted(path: Path) -> int:
    """Calls of a task: each is an entry, but for one that repeats the question before it."""
    found, before = 0, None
    for entry in json.loads(path.read_bytes()):
        kind = entry[entry["type"]]
        if kind in ("tool", "command", "use_mcp_server", "task_progress"):
            found += (kind, entry["text"]) != before
            before = (kind, entry["text"])
    return found


def found(path: Path) -> list[ToolCall]:
    made = calls(joined(PROVIDER, path)).values()
    return [call for call in made if call.provider_name != "permission"]


@pytest.mark.parametrize("path", [DONE, ASKS], ids=["done", "asks"])
def test_each_call_is_shown_once(path: Path):
    assert len(found(path)) == counted(path) > 0


@pytest.mark.parametrize("path", [DONE, ASKS], ids=["done", "asks"])
def test_tokens_and_costs_of_each_request_count_once(path: Path):
    requests: list[Any] = [
        json.loads(entry["text"])
        for entry in json.loads(path.read_bytes())
        if entry.get("say") == "api_req_started"
    ]
    summary = joined(PROVIDER, path).summary
    assert summary.tokens["output"] == sum(each["tokensOut"] for each in requests)
    cached = [each["cacheReads"] for each in requests]
    assert summary.tokens["input_cached"] == sum(cached)
    # One protocol counts what the cache gave with the prompt.
    fresh = sum(
        each["tokensIn"] - (each["cacheReads"] if each.get("apiProtocol") == "openai" else 0)
        for each in requests
    )
    assert summary.tokens["input_uncached"] == fresh
    cost = sum(each["cost"] for each in requests)
    assert (summary.cost is None) == (cost == 0)
    assert abs((summary.cost or 0) - cost) < 1e-9


def test_results_are_those_of_the_next_request():
    made = found(DONE)
    assert [call.kind for call in made] == [
        ToolKind.READ,
        ToolKind.GREP,
        ToolKind.TODOS,
        ToolKind.EDIT,
        ToolKind.EDIT,
        ToolKind.SHELL,
        ToolKind.SHELL,
        ToolKind.MCP,
    ]
    assert [call.ok for call in made] == [True, True, True, False, True, True, False, False]
    assert "LIMIT = 5" in str(made[0].result)
    assert isinstance(made[2].payload, TodosPayload)
    assert [item.text for item in made[2].payload.items] == ["Read the crane", "Change the limit"]
    assert made[5].result == ShellResult(output="lifting\n9 tons up")
    assert made[6].result == ShellResult(output="too heavy", exit_code=3)
    assert "No tide is known." in (made[7].error or "")


def test_a_refused_call_has_the_words_of_the_person():
    (refused,) = [call for call in found(DONE) if call.state is ToolState.OUTPUT_DENIED]
    assert refused.denial is not None
    assert (refused.denial.by, refused.denial.words) == (DeniedBy.PERSON, "Not ten: nine.")
    assert refused.payload == EditPayload(
        (FileEdit("crane.py", (TextEdit("LIMIT = 5", "LIMIT = 10"),)),)
    )


def test_what_is_said_by_whom():
    bodies = [activity.body for activity in shown(joined(PROVIDER, DONE))]
    prompts = [body.text for body in bodies if isinstance(body, User)]
    assert prompts == ["Make the crane lift twice as much.", "Not ten: nine."]
    said = [body.text for body in bodies if isinstance(body, Message)]
    assert said == ["I read the crane.", "The crane lifts nine tons."]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["First the file."]


def test_a_call_at_the_end_waits_for_approval():
    (call,) = found(ASKS)
    assert call.state is ToolState.INPUT_AVAILABLE
    assert call.payload == EditPayload(
        (FileEdit("hatch.py", (TextEdit("shut = True", "shut = False"),)),)
    )
    info = PROVIDER.info(PROVIDER.discovery.ref(ASKS))
    assert info.state is SessionState.NEEDS_APPROVAL
    assert (info.title, info.project) == ("Sink the barge.", "/home/dev/quay")


def test_compaction_and_pictures_are_known():
    bodies = [activity.body for activity in shown(joined(PROVIDER, ASKS))]
    (compaction,) = [body for body in bodies if isinstance(body, Compaction)]
    assert (compaction.tokens_before, compaction.tokens_after) == (9000, 800)
    (image,) = [b for body in bodies if isinstance(body, Message) for b in body.blocks]
    assert isinstance(image, ImageBlock)


def test_a_task_that_is_done_is_the_persons_turn():
    ref = PROVIDER.discovery.ref(DONE)
    assert ref.session_id == "1795000000000"
    info = PROVIDER.info(ref)
    assert info.state is SessionState.YOUR_TURN
    assert info.model == "model-1"


def test_messages_to_the_model_have_calls_as_tags_or_as_parts():
    store = joined(PROVIDER, SENT)
    tagged, native = found(SENT)
    assert tagged.result == ShellResult(output="4")
    assert "short.txt" in str(native.output)
    assert texts(store)[0] == "Count the ropes."
    assert {"Look first.", "I look.", "Four ropes."} <= set(texts(store))
    assert PROVIDER.info(PROVIDER.discovery.ref(SENT)).project == "/home/dev/quay"


def test_of_a_task_with_both_files_what_is_shown_counts(tmp_path: Path):
    for name, files in {"1": (DONE, SENT), "2": (SENT,)}.items():
        (tmp_path / name).mkdir()
        for file in files:
            (tmp_path / name / file.name).write_bytes(file.read_bytes())
    listed = [Path(ref.path).relative_to(tmp_path) for ref in PROVIDER.scan(tmp_path)]
    assert listed == [Path("1/ui_messages.json"), Path("2/api_conversation_history.json")]


def test_lists_of_other_programs_are_not_taken():
    probe = PROVIDER.discovery.probe
    assert probe(b'[{"role": "user", "content": "Hello"}]', Path("ui_messages.json")) == 0
    assert probe(b'[{"ts": 1, "type": "say"}]', Path("ui_messages.json")) == 0
    assert probe(b'[{"type": "say", "say": "text"}]', Path("ui_messages.json")) == 0


def test_tasks_are_in_the_storage_of_the_extensions():
    roots = {root.as_posix() for root in PROVIDER.discovery.roots({"HOME": "/h"})}
    assert "/h/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks" in roots
    mac = "/h/Library/Application Support/Code/User/globalStorage/kilocode.kilo-code/tasks"
    assert mac in roots


RETRY = "[ERROR] You did not use a tool in your previous response! MARK"
RESUMED = (
    "[TASK RESUMPTION] This task was interrupted 1 hour ago. MARK\n\n"
    "New instructions for task continuation:\n<user_message>\nWORDS\n</user_message>"
)
MISTAKES = (
    "You seem to be having trouble proceeding. The user has provided the following feedback to "
    "help guide you: MARK\n<feedback>\nWORDS\n</feedback>"
)
EDITOR = "<environment_details>\n# VSCode Visible Files\nMARK\n</environment_details>"


def sent(folder: Path, *contents: object) -> list[object]:
    """What is shown of messages to a model that stand behind the first one."""
    first: dict[str, object] = {"role": "user", "content": "<task>\nGo.\n</task>"}
    said: dict[str, object] = {"role": "assistant", "content": "I go."}
    more = ({"role": "user", "content": content} for content in contents)
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps([first, said, *more]))
    bodies: list[object] = [activity.body for activity in shown(joined(PROVIDER, path))]
    assert bodies[0] == User("Go.")
    return bodies[2:]


@pytest.mark.parametrize(
    "text", [RETRY, "# TODO LIST UPDATE REQUIRED - MARK", "[read_file for 'a'] Result:\nMARK"]
)
def test_what_the_client_asks_of_the_model_is_a_note(tmp_path: Path, text: str):
    parts = [{"type": "text", "text": each} for each in (text, EDITOR)]
    (note,) = sent(tmp_path, parts)
    assert isinstance(note, Attachment)
    assert note.kind == "instructions"
    assert (note.text or "").count("MARK") == 2


@pytest.mark.parametrize("text", [RESUMED, MISTAKES, f"{EDITOR}\nWORDS", f"WORDS\n\n{EDITOR}"])
def test_what_the_client_puts_around_words_is_their_context(tmp_path: Path, text: str):
    parts = [{"type": "text", "text": each} for each in (text, EDITOR)]
    for content in (f"{text}\n{EDITOR}", parts):
        (prompt,) = sent(tmp_path, content)
        assert isinstance(prompt, User)
        assert prompt.text == "WORDS"
        assert "".join(prompt.context).count("MARK") == 2


CWD = "# Current Working Directory (/home/dev/quay)"
ENVIRONMENT = f"<environment_details>\n{CWD}\n</environment_details>"


def history(folder: Path, messages: list[Any]) -> Path:
    path = folder / "1795000300000" / "api_conversation_history.json"
    path.parent.mkdir()
    path.write_text(json.dumps(messages))
    return path


def message(role: str, *parts: Any, **more: Any) -> Any:
    listed = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": role, "content": listed, **more}


def test_messages_alone_have_tokens_and_what_the_person_answered(tmp_path: Path):
    call = {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a.py"}}
    metrics = {"tokens": {"prompt": 1200, "completion": 40, "cached": 1000}, "cost": 0.01}
    model = {"modelId": "quay-2", "providerId": "cline", "mode": "act"}
    report = "<attempt_completion>\n<result>Done.</result>\n</attempt_completion>"
    path = history(tmp_path, [
        message("user", "<task>\nFix a.py\n</task>", ENVIRONMENT),
        message("assistant", "I look.", call, id="m1", modelInfo=model, metrics=metrics),
        message("user", {"type": "tool_result", "tool_use_id": "t1", "content": "print(1)"}),
        message("assistant", report),
        message(
            "user", "[attempt_completion] Result:",
            "The user has provided feedback on the results. Consider their input to continue the"
            " task, and then attempt completion again.\n<feedback>\nAlso b.py\n</feedback>",
            ENVIRONMENT,
        ),
    ])  # fmt: skip
    store = joined(PROVIDER, path)
    bodies = [each.body for each in shown(store)]
    assert [each.text for each in bodies if isinstance(each, User)] == ["Fix a.py", "Also b.py"]
    assert store.summary.tokens["input_uncached"] == 200
    assert store.summary.tokens["input_cached"] == 1000
    assert store.summary.tokens["output"] == 40
    assert {call.provider_name: call.ok for call in found(path)} == {
        "read_file": True, "attempt_completion": True,
    }  # fmt: skip


@pytest.mark.parametrize("words", ["feedback", "user_message"])
def test_feedback_in_the_result_of_a_call_is_a_prompt(words: str, tmp_path: Path):
    call = {"type": "tool_use", "id": "t1", "name": "attempt_completion", "input": {"result": "x"}}
    said = f"<{words}>\nAlso b.py\n</{words}>"
    path = history(tmp_path, [
        message("user", "<user_message>\nFix a.py\n</user_message>"),
        message("assistant", call),
        message("user", {"type": "tool_result", "tool_use_id": "t1", "content": said}, ENVIRONMENT),
    ])  # fmt: skip
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    assert [each.text for each in bodies if isinstance(each, User)] == ["Fix a.py", "Also b.py"]


def test_messages_without_marks_are_known_by_the_name_of_their_file(tmp_path: Path):
    path = history(tmp_path, [
        message("user", "Fix a.py"),
        message("assistant", "I look.\n<read_file>\n<path>a.py</path>\n</read_file>"),
        message("user", "[read_file for 'a.py'] Result:\n\nprint(1)"),
    ])  # fmt: skip
    assert getattr(recognise(path.read_bytes(), path), "name", None) == PROVIDER.name
    bodies = [each.body for each in shown(joined(PROVIDER, path))]
    assert [each.text for each in bodies if isinstance(each, User)] == ["Fix a.py"]
    assert [each.provider_name for each in found(path)] == ["read_file"]
