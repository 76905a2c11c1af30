"""CodeBuddy: items of a conversation, who wrote them, and what requests took."""

import shutil
from pathlib import Path

import pytest

from agentview.domain.events import Attachment, Reasoning, Unparsed, User
from agentview.domain.session import StreamKind
from agentview.domain.tools import ToolKind
from agentview.domain.usage import Usage
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers.codebuddy import PROVIDER
from agentview.system.paths import sample_sessions_dir
from tests.providers.joined_log import calls, joined, shown, write

FILE = sample_sessions_dir() / "codebuddy" / "0d9c1f7e-5a3b-4e62-8f10-000000000007.jsonl"


def test_each_call_is_shown_with_what_came_of_it():
    made = calls(joined(PROVIDER, FILE))
    assert {own: (call.kind, call.ok) for own, call in made.items()} == {
        "call_1": (ToolKind.READ, None),
        "call_2": (ToolKind.SHELL, False),
        "call_3": (ToolKind.SUBAGENT_TASK, None),
    }
    assert made["call_2"].error == "ls: cannot access '/nowhere'"


def test_only_words_of_the_person_are_a_prompt():
    bodies = [activity.body for activity in shown(joined(PROVIDER, FILE))]
    assert [body.text for body in bodies if isinstance(body, User)] == [
        "Count the crates in hold.csv."
    ]
    assert [body.name for body in bodies if isinstance(body, Attachment)] == ["reminder"]
    assert [body.text for body in bodies if isinstance(body, Reasoning)] == ["The file first."]


def test_tokens_are_those_of_requests():
    usage = joined(PROVIDER, FILE).summary.usage
    # Of the second request a cache gave a part of the prompt.
    assert usage == Usage(900 + 200, 100 + 1000, None, 40 + 30, 10)


def test_what_a_session_is_about():
    info = PROVIDER.info(PROVIDER.discovery.ref(FILE))
    assert (info.title, info.project) == ("Crates in the hold", "/home/dev/harbour")
    assert info.model == "hunyuan-2"


@pytest.mark.parametrize("folder", [".codebuddy", ".workbuddy", ".workbuddy-ai"])
def test_sessions_and_their_agents_are_found(folder: str, tmp_path: Path):
    place = tmp_path / folder / "projects" / "harbour"
    place.mkdir(parents=True)
    shutil.copy(FILE, place)
    shutil.copytree(FILE.with_suffix(""), place / FILE.stem)
    roots = provider_roots(PROVIDER.name, {"HOME": str(tmp_path)})
    (ref,) = [
        ref for root in roots if root.is_dir() for ref in PROVIDER.scan(root) if not ref.parent_id
    ]
    (agent,) = PROVIDER.discovery.children(ref)
    assert (agent.parent_id, agent.stream.kind) == (ref.session_id, StreamKind.SUBAGENT)
    log = place / FILE.name
    assert recognise(log.read_bytes(), log) == load_provider("codebuddy")


def test_an_item_of_an_unknown_type_is_reported(tmp_path: Path):
    path = write(tmp_path / "s.jsonl", [{"type": "tide", "id": "1", "timestamp": 1778749186168}])
    (activity,) = shown(joined(PROVIDER, path))
    assert isinstance(activity.body, Unparsed)
    assert activity.body.record_type == "tide"
