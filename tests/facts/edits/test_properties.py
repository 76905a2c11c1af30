"""Random sessions: what their patches give, applied by git, is what the sessions left."""

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.facts.edits.applying import applied, assert_same, changes_of, not_told, patch_of
from tests.facts.edits.clients import Claude, Client, Codex

_LINES = (
    "",
    "}",
    "    return x",
    "def f(a):",
    "ü 日本 ✅",
    "a\tb  ",
    "-- dashes",
    "+++ plus",
    "@@ -1 +1 @@",
)
_NAMES = ("a.py", "src/b.txt", "with space/c d.md", "ünï/日本.txt", 'quo"te\\.c')
_RANDOMS = st.randoms(use_true_random=True)
_SETTINGS = settings(max_examples=50, derandomize=True)


def _line(random: Random, number: int) -> str:
    return (
        random.choice(_LINES) if random.random() < 0.4 else f"line {number} {random.random():.3f}"
    )


def _text(random: Random, longest: int = 30) -> str:
    lines = [_line(random, number) for number in range(random.randint(0, longest))]
    text = "".join(line + "\n" for line in lines)
    return text[:-1] if text and lines[-1] and random.random() < 0.2 else text


def _tree(random: Random) -> dict[str, bytes]:
    names = random.sample(_NAMES, random.randint(1, len(_NAMES)))
    return {name: _text(random).encode() for name in names}


def _edited(random: Random, text: str) -> str:
    """The text with some runs of lines changed; it ends as it did."""
    lines = text.split("\n")
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, max(0, len(lines) - 2))
        stop = min(len(lines) - 1, at + random.randint(0, 3))
        lines[at:stop] = [_line(random, 900 + n) for n in range(random.randint(0, 3))]
    return "\n".join(lines)


def _claude_steps(random: Random, client: Claude) -> None:
    for _ in range(random.randint(1, 8)):
        name = random.choice([*client.tree, "new/n.txt", "e.txt"])
        act = random.choice(("read", "edit", "edit", "every", "write", "fail", "command"))
        text = client.tree.get(name)
        if act == "command":
            client.command("pytest -q", "2 passed")
        elif text is None or act == "write":
            client.write(name, _text(random))
        elif act == "read":
            client.read(name)
        elif act == "fail":
            client.fail(name)
        elif text:
            _claude_edit(random, client, name, every=act == "every")


def _claude_edit(random: Random, client: Claude, name: str, *, every: bool) -> None:
    text = client.tree[name]
    start = random.randrange(len(text))
    old = text[start : start + random.randint(1, 60)]
    new = random.choice(("", "x", "one\ntwo\n", old + " more", old.upper()))
    if old != new and (every or text.count(old) == 1):
        client.edit(name, old, new, every=every)


def _codex_steps(random: Random, client: Codex) -> None:
    for _ in range(random.randint(1, 7)):
        name = random.choice([*client.tree, "new/n.txt"])
        act = random.choice(("read", "update", "update", "move", "delete", "add", "other"))
        text = client.tree.get(name)
        if act == "other":
            client.shell("ls -la", "total 0\n")
        elif text is None:
            if act == "add":
                client.add(name, _text(random).rstrip("\n") + "\n")
        elif act == "read":
            client.read(name)
        elif act == "delete":
            client.delete(name)
        elif act in ("update", "move"):
            new = _edited(random, text)
            to = f"moved/{name}" if act == "move" else None
            if text and new != text and to not in client.tree:
                client.update(name, new, to=to)


def _check(client: Client, before: dict[str, bytes], *, whole: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        changes = changes_of(client.written(Path(folder) / "log.jsonl"))
        left_out = not_told(changes)
        if whole:
            assert not left_out
        assert_same(client.left(), applied(before, patch_of(changes)), left_out)


@pytest.mark.slow
@_SETTINGS
@given(_RANDOMS)
def test_claude_sessions_that_record_whole_files(random: Random):
    before = _tree(random)
    client = Claude(before, at_once=random.randint(1, 4))
    _claude_steps(random, client)
    _check(client, before, whole=True)


@pytest.mark.slow
@_SETTINGS
@given(_RANDOMS)
def test_claude_sessions_that_record_patches_only(random: Random):
    before = _tree(random)
    client = Claude(before, originals=False, at_once=random.randint(1, 4))
    _claude_steps(random, client)
    _check(client, before, whole=False)


@pytest.mark.slow
@_SETTINGS
@given(_RANDOMS)
def test_claude_sessions_that_record_nothing_but_texts(random: Random):
    before = _tree(random)
    client = Claude(before, originals=False, patches=False)
    for name in before:
        client.read(name)
    _claude_steps(random, client)
    _check(client, before, whole=False)


@pytest.mark.slow
@_SETTINGS
@given(_RANDOMS)
def test_codex_sessions_that_record_differences(random: Random):
    before = _tree(random)
    client = Codex(before)
    _codex_steps(random, client)
    _check(client, before, whole=False)


@pytest.mark.slow
@_SETTINGS
@given(_RANDOMS)
def test_codex_sessions_that_record_what_was_asked_for(random: Random):
    # Whether a last line has an end does not show from what a command printed.
    before = {name: data.rstrip(b"\n") + b"\n" for name, data in _tree(random).items()}
    client = Codex(before, diffs=False)
    for name in before:
        client.read(name)
    _codex_steps(random, client)
    _check(client, before, whole=False)
