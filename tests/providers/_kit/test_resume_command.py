"""The command that resumes a session: only by an id, never by what a hostile log has instead."""

import shutil
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.providers import load_provider, provider_roots, recognise
from agentview.providers._kit.resume_command import resume_with
from agentview.system.paths import sample_sessions_dir

ID = "0b5f3a52-6c55-4f0e-9a51-2f7f3f1f0001"


@pytest.mark.parametrize("name", [ID, ID.upper(), f"agent-{ID}"])
def test_an_id_stands_behind_the_command(name: str):
    assert resume_with("client", "--resume")(SessionRef("p", name, "/x")) == (
        "client", "--resume", name
    )  # fmt: skip


@pytest.mark.parametrize("name", ["demo", "", f"{ID};ls", f"--{ID}", f"$(x){ID}", f"{ID}\n", "-x"])
def test_anything_else_is_none(name: str):
    assert resume_with("client")(SessionRef("p", name, "/x")) is None


def test_an_agent_is_not_resumed():
    assert resume_with("client")(SessionRef("p", ID, "/x", parent_id=ID)) is None


def test_a_fork_is_resumed_by_its_own_program_or_not_at_all():
    forks = {".fork": ("fork", "again"), ".other": ()}
    resume = resume_with("client", "--resume", forks=forks)
    assert resume(SessionRef("p", ID, "/home/dev/.fork/a.jsonl")) == ("fork", "again", ID)
    assert resume(SessionRef("p", ID, "/home/dev/.other/a.jsonl")) is None
    assert resume(SessionRef("p", ID, "/home/dev/.own/a.jsonl")) == ("client", "--resume", ID)


@pytest.mark.parametrize(
    ("folder", "provider", "sample", "program"),
    [
        (".openclaude/projects/-p", "claude_code", "demo.jsonl", "openclaude"),
        (".openinterpreter/sessions/2026", "codex", "demo.jsonl", "interpreter"),
        (".code/sessions/2026", "codex", "demo.jsonl", None),
        (".trae/cli/sessions/2026", "codex", "demo.jsonl", None),
        (".pearai/sessions", "continue_cli", "demo.json", None),
        (".omp/agent/sessions/-p", "pi", "demo.jsonl", None),
        (".qoder/projects/-p", "claude_code", "demo.jsonl", None),
        (
            "Library/Application Support/Claude/local-agent-mode-sessions/o/w/l/.claude/projects",
            "claude_code",
            "demo.jsonl",
            None,
        ),
    ],
)
def test_the_logs_of_forks_are_found_in_their_folders(
    folder: str, provider: str, sample: str, program: str | None, tmp_path: Path
):
    own = load_provider(provider)
    place = tmp_path / folder
    place.mkdir(parents=True)
    shutil.copy(sample_sessions_dir() / provider / sample, place / sample)
    roots = provider_roots(provider, {"HOME": str(tmp_path)})
    (ref,) = [ref for root in roots if root.is_dir() for ref in own.scan(root)]
    assert recognise((place / sample).read_bytes()[:65_536], place / sample) == own
    resumed = own.resume_command(ref)
    assert (resumed[0] if resumed else None) == program
