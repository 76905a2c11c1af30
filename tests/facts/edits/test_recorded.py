"""Sessions of real clients: their patches applied to the first state of their project."""

import json
from pathlib import Path

import pytest

from agentview.facts.edits.git_patch import file_lines
from agentview.facts.edits.net_diff import ChangeMark
from agentview.providers import recognise
from agentview.providers.base import HEAD_BYTES
from agentview.system.paths import sample_sessions_dir
from tests.facts.edits.applying import (
    Tree,
    applied,
    changes_of,
    load,
    nets,
    not_told,
    patch_of,
    worked,
)
from tests.facts.edits.scratch import MODULE, THREE_HUNKS, TWO_EDITS, UTIL, left, scratch

SAMPLES = sample_sessions_dir()
LOGS = [
    path
    for path in sorted(SAMPLES.rglob("*.json*"))
    if recognise(path.read_bytes()[:HEAD_BYTES], path) is not None
]
CODE_MODE = "codex/code_mode/rollout-2026-11-21T00-08-35-01a1fb6e-f74e-70a2-9669-b6f6a1a0b0d7.jsonl"
SIBLINGS = "claude_code/siblings/545974c3-74f7-48d2-a661-ea30b441445e.jsonl"
GEMINI = "gemini_cli/agents/session-2026-11-21T00-16-7d1ee15f.jsonl"
QWEN = "qwen_code/agents/chats/f52ac2be-1e94-454b-a2fa-e7cde2180ca9.jsonl"


@pytest.mark.parametrize(
    ("name", "expected", "left_out"),
    [
        (
            "claude_code/tools.jsonl",
            left(
                src__app_dot_py='print("overwritten")\n',
                src__util_dot_py=UTIL.replace("TODO", "DONE"),
                src__new_module_dot_py=MODULE,
            ),
            {"nb.ipynb"},
        ),
        ("claude_code/classic.jsonl", None, set[str]()),
        (
            SIBLINGS,
            left(
                src__app_dot_py=TWO_EDITS,
                src__util_dot_py=UTIL.replace("TODO: document", "Documented"),
            ),
            set[str](),
        ),
        (
            CODE_MODE,
            left(src__app_dot_py=THREE_HUNKS, src__cm_dot_py='print("code mode")\n'),
            {"src/heredoc.txt"},
        ),
        (
            "gemini_cli/document.json",
            left(
                src__app_dot_py=TWO_EDITS,
                src__new_module_dot_py=MODULE,
                src__app2_dot_py='print("x")\n',
            ),
            {"README.md"},
        ),
    ],
)
def test_a_patch_gives_the_files_that_the_client_left(
    name: str, expected: Tree | None, left_out: set[str]
):
    if expected is None:
        text = scratch()["src/app.py"].decode().replace("def add", "def plus")
        expected = left(src__app_dot_py=text)
    changes = changes_of(SAMPLES / name)
    told = applied(scratch(), patch_of(changes))
    names = (told.keys() | expected.keys()) - left_out
    assert {n: told.get(n) for n in names} == {n: expected.get(n) for n in names}


@pytest.mark.parametrize(
    ("name", "made"),
    [
        (QWEN, {"src/new_module.py": MODULE}),
        (GEMINI, {"src/new_module.py": MODULE, "src/app2.py": 'print("x")\n'}),
        ("acp/demo.jsonl", {}),
    ],
)
def test_a_patch_of_what_a_sample_did_not_cut_short_gives_what_the_client_left(
    name: str, made: dict[str, str]
):
    changes = changes_of(SAMPLES / name)
    assert not not_told(changes)
    # The sample has the long file cut short; the notebook is compared as what it holds.
    patch = "".join(
        line
        for path, net in nets(changes).items()
        if path not in ("src/util.py", "nb.ipynb")
        for line in file_lines(net, path, path)
    )
    expected = left(src__app_dot_py=TWO_EDITS, README_dot_md="# Rewritten\n")
    expected |= {path: text.encode() for path, text in made.items()}
    assert applied(scratch(), patch) == expected


def test_a_notebook_is_written_as_the_client_wrote_it():
    told = applied(scratch(), patch_of(changes_of(SAMPLES / "claude_code/tools.jsonl")))
    cells = json.loads(told["nb.ipynb"])["cells"]
    assert [cell["source"] for cell in cells] == ["print(42)", ["# Title\n"], "## Inserted"]


def test_files_are_moved_deleted_and_added():
    changes = changes_of(SAMPLES / "codex/demo.jsonl")
    # The sample has the long file cut short.
    long = [line[1:] for hunk in nets(changes)["big.txt"].hunks for line in hunk.lines]
    before = scratch() | {"big.txt": "".join(f"{line}\n" for line in long).encode()}
    told = applied(before, patch_of(changes))
    assert told["docs/manual.md"] == before["docs/guide.md"].replace(b"# Guide", b"# Manual")
    assert "docs/guide.md" not in told
    assert "big.txt" not in told
    assert told["notes/a.txt"] == b"alpha\nbeta\n"
    assert told["src/app.py"].decode() == THREE_HUNKS
    assert nets(changes)["docs/manual.md"].mark is ChangeMark.MOVED


@pytest.mark.parametrize("log", LOGS, ids=lambda path: str(path.relative_to(SAMPLES)))
def test_each_sample_tells_of_each_changed_file_or_names_the_step(log: Path):
    changes = changes_of(log)
    not_told(changes)
    for file in changes.files.values():
        net = changes.net(file)
        if net.mark is ChangeMark.UNKNOWN:
            assert net.missing
            assert all(trouble.step in file.steps for trouble in net.missing)
            assert net.added is None
        elif net.mark is not ChangeMark.READ:
            assert net.added is not None


def test_a_file_of_which_nothing_is_known_may_be_taken_for_new():
    store = load(SAMPLES / CODE_MODE)
    before = scratch()
    told = applied(before, patch_of(worked(store, assume_new=True)))
    assert told["src/heredoc.txt"] == b"line one\nline two\n"
    assert not_told(worked(store)) == {"src/heredoc.txt"}


def test_a_session_that_names_no_directory():
    changes = changes_of(SAMPLES / "codex/printed/tools.jsonl")
    assert changes.root_guessed or changes.root is None


def test_an_agent_reads_what_the_session_wrote():
    files = changes_of(SAMPLES / QWEN).files
    streams = {step.stream.id for file in files.values() for step in file.steps}
    assert len(streams) > 1
