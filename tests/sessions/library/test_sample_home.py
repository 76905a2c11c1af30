"""A home that is laid out from the sample sessions as the clients would: what is listed of it."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.domain.session import SessionInfo
from agentview.domain.session_state import SessionState
from agentview.providers import load_provider
from agentview.sessions.library.scan.scanner import scan_sessions, session_roots
from agentview.system.paths import sample_sessions_dir

DAY = Path(".codex/sessions/2026/11/21")
INJECTED = re.compile(
    r"AGENTS\.md|CLAUDE\.md instructions|^Caveat:|<[a-z_-]+>|system.reminder|environment_context"
    r"|local-command|user_instructions|IDE context|hook|permissions instructions|^\{",
    re.IGNORECASE,
)
"""What clients put in front of what a person wrote."""


def places(home: Path) -> Iterator[tuple[str, Path, Path]]:
    """Provider, file or folder of the samples, and where it goes."""
    samples = sample_sessions_dir()
    for path in sorted((samples / "claude_code").iterdir()):
        yield "claude_code", path, home / ".claude" / "projects" / "-home-dev-shop" / path.name
    for path in sorted((samples / "codex").glob("*.jsonl")):
        yield "codex", path, home / DAY / path.name
    yield "codex", samples / "codex" / "agents", home / DAY / "agents"
    chats = home / ".gemini" / "tmp" / "shop" / "chats"
    for path in sorted((samples / "gemini_cli").iterdir()):
        if path.name != "printed":
            yield "gemini_cli", path, chats / path.name
    qwen = samples / "qwen_code"
    for path in sorted(qwen.glob("*.jsonl")):
        yield "qwen_code", path, home / ".qwen" / "projects" / "shop" / "chats" / path.name
    yield "qwen_code", qwen / "agents", home / ".qwen" / "projects" / "agents"
    yield "cursor", samples / "cursor" / "transcripts" / "projects", home / ".cursor" / "projects"


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> list[SessionInfo]:
    home = tmp_path_factory.mktemp("home")
    for _, source, target in places(home):
        target.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
    roots = session_roots({"HOME": str(home)})
    return [facts.info for batch in scan_sessions(roots) for facts in batch.facts]


@pytest.mark.parametrize(
    ("provider", "name", "title", "project", "branch", "state"),
    [
        ("claude_code", "demo", "Fix rounding of split bills", "/home/dev/ws/till", "fix/rounding",
         SessionState.YOUR_TURN),
        ("claude_code", "classic", "Find the open TODOs and fix the greeting.",
         "/home/dev/ws/claude/classic/repo", "main", SessionState.ENDED),
        ("claude_code", "forked", "First way (fork)", "/home/dev/ws/shop", "main",
         SessionState.YOUR_TURN),
        ("claude_code", "image", "What is this?", "/home/dev/ws/claude/image/repo", "main",
         SessionState.ENDED),
        ("claude_code", "refusals", "Delete the old branch and fix the tests.",
         "/home/dev/ws/shop", "main", SessionState.INTERRUPTED),
        ("claude_code", "attachments", "and the docs too", "/home/dev/ws/shop", "main",
         SessionState.FAILED),
        ("codex", "events", "Cart total", "/home/dev/shop", "main", SessionState.WORKING),
        ("codex", "first_generation", "List the files", None, "main", SessionState.YOUR_TURN),
        ("codex", "forked", "Try it with Decimal instead", "/home/dev/shop", "main",
         SessionState.YOUR_TURN),
        ("gemini_cli", "demo", "Fix the cart total", "/home/dev/shop", None,
         SessionState.YOUR_TURN),
        ("gemini_cli", "history", "Fix the cart total", "/home/dev/shop", None,
         SessionState.INTERRUPTED),
        ("qwen_code", "tree", "Cart order", "/home/dev/shop", "main", SessionState.LIMITED),
        ("qwen_code", "demo", "Sort the cart", "/home/dev/shop", "main", SessionState.YOUR_TURN),
    ],
)  # fmt: skip
def test_sessions_are_listed_as_what_they_are(
    listed: list[SessionInfo],
    provider: str,
    name: str,
    title: str | None,
    project: str | None,
    branch: str | None,
    state: SessionState,
):
    (info,) = [
        info
        for info in listed
        if info.ref.provider == provider and Path(info.ref.path).name == f"{name}.jsonl"
    ]
    assert (info.title, info.project, info.branch, info.state) == (title, project, branch, state)


def test_all_that_was_laid_out_is_listed_once(listed: list[SessionInfo]):
    paths = [info.ref.path for info in listed]
    assert len(paths) == len(set(paths)) > 50
    assert {info.ref.provider for info in listed} == {
        "claude_code", "codex", "gemini_cli", "qwen_code", "cursor"
    }  # fmt: skip


def test_agents_are_known_by_what_they_were_asked(listed: list[SessionInfo]):
    agents = {info.title for info in listed if info.ref.parent_id is not None}
    assert {"Find money as float", "Count the lines", "Investigate.", "Explore the docs"} <= agents
    for info in listed:
        assert (info.ref.parent_id is None) == (info.ref.stream.id == "")


def test_no_title_is_what_a_client_put_in(listed: list[SessionInfo]):
    titles = [info.title for info in listed if info.title]
    assert len(titles) > 45
    assert [title for title in titles if INJECTED.search(title)] == []


def test_a_session_is_resumed_by_its_clients_own_command(listed: list[SessionInfo]):
    commands = {
        command[:2]
        for info in listed
        if (command := load_provider(info.ref.provider).resume_command(info.ref)) is not None
    }
    assert commands == {
        ("claude", "--resume"), ("codex", "resume"), ("gemini", "--resume"), ("qwen", "--resume"),
        ("cursor-agent", "--resume"),
    }  # fmt: skip
    for info in listed:
        command = load_provider(info.ref.provider).resume_command(info.ref)
        assert command is None or (command[2] == info.ref.session_id and not info.ref.parent_id)
