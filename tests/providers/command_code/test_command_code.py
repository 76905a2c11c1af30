"""Sessions of Command Code, joined as they are shown, against what a plain reading counts."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.events import Attachment, Compaction, User
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import DeniedBy, ToolKind, ToolState
from agentview.providers import provider_roots, recognise
from agentview.providers.command_code import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, texts, write

FOLDER = sample_sessions_dir() / "command_code"
DEMO, BRANCHES = FOLDER / "demo.jsonl", FOLDER / "branches.jsonl"
each_way = pytest.mark.parametrize("backward", [False, True])


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def blocks(path: Path, kind: str) -> Iterator[dict[str, Any]]:
    for record in records(path):
        content = record.get("message", {}).get("content", ())
        yield from (block for block in content if block["type"] == kind)


@each_way
def test_every_call_is_shown_once_with_what_came_of_it(backward: bool):
    made = calls(joined(PROVIDER, DEMO, backward=backward))
    assert {own: call.provider_name for own, call in made.items()} == {
        block["id"]: block["name"] for block in blocks(DEMO, "tool_use")
    }
    assert [call.kind for call in made.values()] == [
        ToolKind.READ, ToolKind.SHELL, ToolKind.EDIT, ToolKind.TODOS,
        ToolKind.SHELL, ToolKind.SHELL, ToolKind.WRITE,
    ]  # fmt: skip
    states = [call.state for call in made.values()]
    assert states[:4] == [ToolState.OUTPUT_AVAILABLE] * 4
    assert states[4:] == [ToolState.OUTPUT_ERROR, ToolState.OUTPUT_DENIED, ToolState.OUTPUT_DENIED]


@each_way
def test_a_command_has_its_exit_code_apart_from_its_output(backward: bool):
    failed = calls(joined(PROVIDER, DEMO, backward=backward))["toolu_5"]
    assert isinstance(failed.result, ShellResult)
    assert (failed.result.exit_code, failed.result.output) == (1, "1 failed")


def test_who_refused_a_call_is_what_the_client_says():
    made = calls(joined(PROVIDER, DEMO))
    refused = [made[own].denial for own in ("toolu_6", "toolu_7")]
    assert [denial and denial.by for denial in refused] == [DeniedBy.PERSON, DeniedBy.UNKNOWN]


@each_way
def test_a_prompt_has_the_persons_words_and_what_was_sent_along(backward: bool):
    bodies = [each.body for each in shown(joined(PROVIDER, DEMO, backward=backward))]
    (prompt,) = [body for body in bodies if isinstance(body, User)]
    assert prompt.text == "Make the crane lift tea."
    assert prompt.context == ("How cranes are written.",)


@each_way
def test_what_the_client_wrote_is_no_prompt(backward: bool):
    bodies = [each.body for each in shown(joined(PROVIDER, BRANCHES, backward=backward))]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Show the quay.",
        "Lift this.",
    ]
    notes = [body.name for body in bodies if isinstance(body, Attachment)]
    assert "note of scheduled-cron:night" in notes
    assert [body.summary for body in bodies if isinstance(body, Compaction)] == [
        "A dot was lifted."
    ]


@each_way
def test_a_branch_that_was_left_is_abandoned(backward: bool):
    store = joined(PROVIDER, BRANCHES, backward=backward)
    said = [record["message"]["content"][0]["text"] for record in records(BRANCHES)[6:8]]
    assert said == ["Lift rum.", "Rum it is."]
    assert not {*said} & {*texts(store)}


@pytest.mark.parametrize("path", [DEMO, BRANCHES], ids=lambda path: path.stem)
def test_tokens_and_cost_are_those_of_the_records(path: Path):
    counted = [record["usage"] for record in records(path) if "usage" in record]
    usage = joined(PROVIDER, path).summary.usage
    assert usage.output == sum(each["outputTokens"] for each in counted)
    assert usage.input_uncached == sum(each["inputTokens"] for each in counted)
    assert usage.input_cached == sum(each["cacheReadTokens"] for each in counted)
    assert usage.cache_write == sum(each["cacheWriteTokens"] for each in counted)


def test_a_list_names_the_session_by_its_id_title_and_folder():
    info = PROVIDER.info(PROVIDER.discovery.ref(BRANCHES))
    assert info.ref.session_id == records(BRANCHES)[0]["id"]
    assert (info.title, info.project) == ("The crane", "/home/dev/quay")
    assert PROVIDER.resume_command(info.ref) == ("command-code", "--resume", info.ref.session_id)


def test_a_session_that_has_only_begun_is_known_by_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HOME", str(tmp_path))
    (root,) = provider_roots("command_code", {"HOME": str(tmp_path)})
    path = write(root / "-quay" / "a.jsonl", records(DEMO)[:1])
    shutil.copy(DEMO, path.with_name("b.checkpoints.jsonl"))
    found = recognise(path.read_bytes(), path)
    assert found is not None
    assert found.name == "command_code"
    assert [ref.path for ref in PROVIDER.scan(root)] == [str(path)]
