"""A long session in a large terminal, driven by keys while it is written: nothing moves or blanks.

What is seen is looked up in all rows of the same log, laid out in the end as the screen has them.
"""

import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.sessions.following.whole_session import load_session
from agentview.settings.values import Settings
from agentview.sources.line_splitter import DEFAULT_LIMIT
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.render_options import timeline_space
from agentview.ui.render.style.palette import PLAIN
from benchmarks import generate, writer
from benchmarks.generate import LEAN, MB
from benchmarks.process import rss_of
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.filmed import Film, Paper, Shot, blanks

pytestmark = [pytest.mark.slow, pytest.mark.long]

COLUMNS, LINES = 200, 60
ROWS = LINES - 4
RAIL = 1
RATE = 200
PAGE_UP = "\x1b[5~"
HELD = 0.033
"""Seconds between the keys that a held key sends."""
_TITLE = 20
"""Columns of a title that neither its level nor its width changes: time, mark, kind."""
_FOLLOW = "follow"


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "LANG": "C.UTF-8", "TZ": "UTC"}


def film(path: Path, command: str = "tail") -> Film:
    return Film(
        [sys.executable, "-m", "agentview", command, str(path)],
        environment(path.parent),
        columns=COLUMNS,
        lines=LINES,
    )


def paper(path: Path, level: str) -> Paper:
    """All rows of a log at a level, laid out for the timeline in colour."""
    store = load_session(SessionRef("claude_code", path.stem, str(path)))
    palette = replace(PLAIN, shaded=True, colored=True)
    space = replace(timeline_space(Settings(), palette), width=COLUMNS - RAIL, sliced=False)
    lines: list[str] = []
    for row in filter(store.shown, range(store.first, store.end)):
        view = RowLayout(store.activity(row), DetailLevel(level), space)
        lines += [strip.text for strip in view.strips(0, view.height)]
    return Paper("\n".join(lines))


def stays(reel: Film, seconds: float) -> int:
    """Let time go by; how many rows changed in any frame of it."""
    before = reel.shot()
    reel.shots.clear()
    reel.terminal.run_for(seconds)
    return max((_changed(before, shot) for shot in reel.shots), default=0)


def _changed(one: Shot, other: Shot) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


def switch(reel: Film, key: str, level: str) -> None:
    """Show all at another level."""
    reel.press(key)
    reel.wait(lambda: f"all activities: {level}" in reel.status, f"{key} does nothing")


def held(reel: Film, key: str, seconds: float) -> list[Shot]:
    """Hold a key; the frames meanwhile, without those that a busy machine still owes of before."""
    reel.steady()
    reel.shots.clear()
    reel.press(*key * round(seconds / HELD), pause=HELD)
    reel.steady()
    return list(reel.shots)


class Drive:
    """Goes through one session, and keeps what it saw for when it can be looked up."""

    def __init__(self, reel: Film) -> None:
        self.reel = reel
        self.seen: list[tuple[str, str, Sequence[Shot]]] = []

    def keep(self, name: str, level: str, shots: Sequence[Shot] | None = None) -> None:
        """Remember frames, to be looked up in order; without any, the one of now."""
        kept = [self.reel.shot()] if shots is None else shots
        # A title is never blank; of bodies, which may have blank lines, the paper knows.
        for shot in kept if level == "title" else ():
            assert blanks(shot) == [], f"{name}: blank rows\n" + "\n".join(shot)
        self.seen.append((name, level, kept))

    def go(self, text: str) -> Shot:
        """Jump; the screen there."""
        self.reel.press(":", pause=0.2)
        self.reel.press(text + "\r", pause=0.5)
        self.reel.wait(lambda: "once it is read" not in self.reel.text, f"no way to {text}")
        self.reel.steady()
        return self.reel.shot()


def follow(drive: Drive) -> None:
    switch(drive.reel, "1", "title")
    drive.reel.terminal.run_for(0.3)
    drive.reel.shots.clear()
    drive.reel.terminal.run_for(1.0)
    # A busy machine draws fewer frames.
    drive.reel.wait(lambda: len(drive.reel.shots) > 3, "no frames while it is followed")
    shots = list(drive.reel.shots)
    drive.keep(_FOLLOW, "title", shots)


def read_while_written(drive: Drive, seconds: float) -> None:
    reel = drive.reel
    reel.press(*[PAGE_UP] * 20, pause=0.04)
    reel.steady()
    assert stays(reel, 1.0) == 0
    drive.keep("scrolled up", "title")
    drive.keep("j held", "title", held(reel, "j", seconds))
    drive.keep("k held", "title", held(reel, "k", seconds / 4)[::-1])
    assert stays(reel, 0.5) == 0


def levels(drive: Drive) -> None:
    reel = drive.reel
    reel.press(*"k" * 8)
    reel.steady()
    line = reel.selected()
    assert line is not None
    title = reel.shot()[line][:_TITLE].rstrip()
    for key, level in (("2", "summary"), ("3", "full"), ("1", "title"), ("2", "summary")):
        switch(reel, key, level)
        reel.steady()
        assert reel.shot()[line][:_TITLE].rstrip() == title, f"level {key} moved the selected row"
        drive.keep(f"level {key}", level)
    drive.keep("j held in summaries", "summary", held(reel, "j", 1.0))
    switch(reel, "1", "title")


def start_and_end(drive: Drive) -> None:
    reel = drive.reel
    reel.press("g", pause=0.5)
    reel.wait(lambda: "once it is read" not in reel.text, "the start is not come to")
    reel.steady()
    assert stays(reel, 0.5) == 0
    drive.keep("start", "title")
    reel.press("G", pause=0.5)
    drive.keep("end", "title")


def _about(row: str) -> list[str]:
    """The first words behind the time; time and paths are shorter where there is less room."""
    return [word.rpartition("/")[2] for word in row.split()[1:5]]


def sizes(drive: Drive) -> None:
    reel = drive.reel
    reel.press(PAGE_UP, PAGE_UP, PAGE_UP, pause=0.1)
    reel.press(*"k" * ROWS, pause=0.02)
    reel.steady()
    line = reel.selected()
    assert line is not None
    before = reel.shot()
    for columns, lines in ((120, 40), (80, 24), (60, 15), (20, 5), (160, 50), (COLUMNS, LINES)):
        reel.resize(columns, lines)
        if columns >= 60:
            assert all(word in reel.text for word in _about(before[line])), (
                f"{columns}x{lines}: gone is {before[line]}\n{reel.text}"
            )
    reel.steady()
    drive.keep("after other sizes", "title")


def search(drive: Drive, word: str) -> None:
    reel = drive.reel
    before = reel.shot()
    reel.press("/", pause=0.2)
    reel.press(word, pause=0.5)
    reel.wait(lambda: re.search(r"\d of [\d,]+", reel.text) is not None, "nothing is found")
    reel.press("\r", pause=0.3)
    for key in "nnNn":
        reel.press(key)
        reel.steady()
        assert word.lower() in "\n".join(reel.shot()).lower(), f"{key} leads to\n{reel.text}"
        assert blanks(reel.shot()) == []
    reel.press("\x1b", pause=0.3)
    reel.steady()
    assert blanks(before) == []
    drive.keep("search ended", "title")


def narrow(drive: Drive, line: str, word: str) -> None:
    reel = drive.reel
    reel.press("f", pause=0.2)
    reel.press(line + "\r", pause=0.5)
    reel.wait(lambda: "checked" not in reel.text, "the filter does not end")
    reel.wait(
        lambda: all(word in row for row in reel.shot() if row.strip("─")),
        f"other rows than {word}",
    )
    assert any(reel.shot())
    reel.press("\x1b", pause=0.3)
    reel.wait(
        lambda: any(word not in row for row in reel.shot() if row.strip("─")),
        "the filter stays",
    )
    reel.steady()
    drive.keep("filter ended", "title")


def jumps(drive: Drive, path: Path) -> None:
    reel = drive.reel
    size = path.stat().st_size
    seen: list[Shot] = []
    for text in (f"b{size // 3}", "1000", f"b{size // 2}", "turn 7"):
        seen.append(drive.go(text))
        drive.keep(f"at {text}", "title")
    clock = next(row for row in seen[2] if row[:1] == " ")[1:9]
    shot = drive.go(clock)
    assert any(clock in row for row in shot), f"no {clock} in\n" + "\n".join(shot)
    reel.press("b", pause=0.2)
    drive.go("1000")
    reel.press("b", pause=0.2)
    for expected in (shot, seen[1], shot):
        reel.press("'")
        reel.steady()
        line = reel.selected()
        assert line is not None
        assert reel.shot()[line] in expected
    drive.keep("at a bookmark", "title")


def look_up(drive: Drive, path: Path) -> None:
    """Everything that was seen stands in the log, in the order in which it was gone through."""
    papers = {level: paper(path, level) for level in {level for _, level, _ in drive.seen}}
    for name, level, shots in drive.seen:
        after = 0
        for shot in dict.fromkeys(shots):
            place = papers[level].find(shot, after)
            assert place is not None, "\n".join([name, *papers[level].missing(shot)])
            # Between two frames of the end, a busy machine writes more than a screen.
            if after and name != _FOLLOW:
                assert place - after < ROWS * 2, f"{name}: a jump of {place - after} rows"
            after = place


def drive_through(path: Path, seconds: float) -> None:
    """All of it, while `RATE` records a second are written."""
    with film(path) as reel:
        reel.wait(lambda: generate.END in reel.text, "no end of the log")
        with writer.Writer(path, RATE, 10 * seconds):
            drive = Drive(reel)
            follow(drive)
            read_while_written(drive, seconds)
            levels(drive)
            sizes(drive)
            start_and_end(drive)
            jumps(drive, path)
            search(drive, "pytest")
            narrow(drive, "kind:edit", " Edit ")
            narrow(drive, "file:parser/", "parser/")
        reel.press("G", pause=1.0)
        drive.keep("the end of all", "title")
    look_up(drive, path)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(generate.DIRECTORY_VARIABLE, str(tmp_path))
    return generate.session(3 * MB, LEAN).path


@pytest.fixture(autouse=True)
def in_utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The paper has the times that the screen has."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_nothing_moves_or_blanks_while_it_is_written(path: Path):
    drive_through(path, 1.0)


def test_a_line_too_long_to_be_read_is_a_stub_that_opens_in_pages(tmp_path: Path):
    log = ClaudeLog()
    records = conversation(log, 600, size=500)
    row = b"everything that was ever written\\n"
    text = row * (DEFAULT_LIMIT // len(row) + 1) + b"the very end"
    long = log.text("L0NG").replace(b"L0NG", text)
    path = write(tmp_path / "log.jsonl", [*records[:1200], long, *records[1200:]])
    place = sum(map(len, records[:1200]))
    with film(path, "open") as reel:
        reel.wait(lambda: "Step 599 is done." in reel.text, "no end of the log")
        reel.wait(lambda: "600 commands" in reel.text, "it is not read")
        rest = rss_of(reel.terminal.pid)
        reel.press(":", pause=0.3)
        reel.press(f"b{place}\r")
        around = ("Step 299 is done.", "is too long to be read at once", "Step 300: please go on")
        reel.wait(lambda: all(words in reel.text for words in around), "there is no stub")
        reel.press("o")
        reel.wait(lambda: f"{len(long) - 1:,} bytes" in reel.text, "no page of it")
        reel.press("r")
        reel.wait(lambda: "too long to be parsed here" in reel.text, "no raw view of it")
        reel.press("G")
        reel.wait(lambda: "the very end" in reel.text, "its end is not come to")
        # Less than the line alone takes.
        assert rss_of(reel.terminal.pid) - rest < len(long)
