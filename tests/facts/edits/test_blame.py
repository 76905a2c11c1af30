"""Lines are blamed on the steps that wrote them, and on nothing else."""

import tempfile
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentview.domain.session import MAIN_STREAM
from agentview.facts.edits.blame import Claim, blame
from agentview.facts.edits.operations import FileAction, FileStep
from agentview.facts.edits.partial_file import FileChange
from agentview.facts.edits.session_changes import SessionChanges
from tests.facts.edits.applying import load
from tests.facts.edits.clients import ROOT, Claude

NAME = "a.py"


class Truth:
    """A file whose every line says who wrote it: a step by its number, or somebody else."""

    def __init__(self, random: Random, client: Claude) -> None:
        self.random, self.client = random, client
        self.lines: list[tuple[str, int | None]] = []
        self.made = 0
        self.steps = 0

    def fresh(self, owner: int | None) -> list[tuple[str, int | None]]:
        lines: list[tuple[str, int | None]] = []
        for _ in range(self.random.randint(1, 3)):
            self.made += 1
            lines.append((f"line {self.made} of {owner}", owner))
        return lines

    def text(self) -> str:
        return "".join(f"{text}\n" for text, _ in self.lines)

    def place(self) -> tuple[int, int]:
        at = self.random.randrange(len(self.lines))
        return at, min(len(self.lines), at + self.random.randint(1, 3))

    def write(self) -> None:
        at, stop = self.place() if self.lines else (0, 0)
        self.lines[at:stop] = self.fresh(self.steps)
        self.client.write(NAME, self.text())
        self.steps += 1

    def edit(self) -> None:
        at, stop = self.place()
        old = "".join(f"{text}\n" for text, _ in self.lines[at:stop])
        self.lines[at:stop] = new = self.fresh(self.steps)
        self.client.edit(NAME, old, "".join(f"{text}\n" for text, _ in new))
        self.steps += 1

    def by_hand(self) -> None:
        at, stop = self.place()
        self.lines[at:stop] = self.fresh(None)
        self.client.tree[NAME] = self.text()


def claims(client: Claude, texts: list[str]) -> list[Claim | None]:
    with tempfile.TemporaryDirectory() as folder:
        changes = SessionChanges(load(client.written(Path(folder) / "log.jsonl")), traced=True)
        for _ in changes.working():
            pass
        replay = changes.files[f"{ROOT}/{NAME}"].replay
        assert replay is not None
        done = replay.changes()
    return blame(texts, done)


RECORDED = {
    "originals and patches": (True, True),
    "patches": (False, True),
    "neither": (False, False),
}
"""What clients record with a change: the text before it, and the hunks."""


@pytest.mark.slow
@pytest.mark.parametrize("recorded", RECORDED)
@settings(max_examples=60)
@given(random=st.randoms(use_true_random=True), hand=st.booleans())
def test_each_line_is_blamed_on_the_step_that_wrote_it(random: Random, hand: bool, recorded: str):
    originals, patches = RECORDED[recorded]
    client = Claude({}, originals=originals, patches=patches)
    truth = Truth(random, client)
    truth.write()
    acts = [truth.write, truth.edit, truth.edit]
    for _ in range(random.randint(1, 10)):
        random.choice([*acts, truth.by_hand] if hand and patches else acts)()
    found = claims(client, [text for text, _ in truth.lines])
    for (text, owner), claim in zip(truth.lines, found, strict=True):
        if claim is not None and claim.exact:
            assert claim.change == owner, text
        if originals:
            assert (None if claim is None else claim.change) == owner, text


def step(number: int) -> FileStep:
    return FileStep(number, FileAction.EDIT, "a", number, MAIN_STREAM)


def change(number: int, before: tuple[str, ...], after: tuple[str, ...]) -> FileChange:
    return FileChange(step(number), before, after)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a", "b", "c"], [0, 1, 0]),
        (["a", "c"], [0, 0]),
        (["by hand", "a", "b", "c", "by hand"], [None, 0, 1, 0, None]),
        ([], []),
        (["z"], [None]),
    ],
)
def test_what_stands_in_the_file_now_is_blamed(lines: list[str], expected: list[int | None]):
    changes = [change(0, (), ("a", "x", "c")), change(1, ("a", "x", "c"), ("a", "b", "c"))]
    found = blame(lines, changes)
    assert [None if claim is None else claim.change for claim in found] == expected


def test_a_line_that_somebody_put_back_is_nobodys():
    changes = [
        change(0, (), ("a", "b")),
        change(1, ("a", "b"), ("a",)),
        change(2, ("a",), ("a", "c")),
    ]
    found = blame(["a", "b", "c"], changes)
    assert [None if claim is None else claim.change for claim in found] == [0, None, 2]
