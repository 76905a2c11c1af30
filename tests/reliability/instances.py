"""Two instances over one home, at work at once: no note, mark or total is lost."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from agentview.providers import load_provider
from agentview.sessions.annotations.all_sessions import annotations_of
from tests.claude_log import SESSION, ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE
from tests.reliability.outcome import Outcome, Plan

_WRITING = """
import sys
from pathlib import Path
from agentview.sessions.annotations.bookmarks import set_bookmark
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import AnnotationsNotSaved, SessionFile
from agentview.sessions.annotations.session_marks import set_star
from agentview.domain.annotations import Bookmark, Note
own, count = sys.argv[1], int(sys.argv[2])
file = SessionFile("claude_code", sys.argv[3])

def again(write, *arguments, **named):
    # Who is told that nothing was saved presses the key again.
    while True:
        try:
            return write(*arguments, **named)
        except AnnotationsNotSaved as error:
            assert "another instance is writing" in str(error), error

for number in range(count):
    mark = Bookmark(f"{own}-{number}", "main", number, 0)
    again(set_bookmark, file, mark)
    again(set_note, file, Note(mark, f"by {own}", 1.0))
    again(set_star, file, starred=True)
"""


def run(plan: Plan, root: Path) -> Iterator[Outcome]:
    """A line for what is written, and one for what is indexed."""
    home = root / "home"
    place = home / ".claude" / "projects" / "-home-dev-shop"
    own = {f"AGENTVIEW_{each}_DIR": str(root / each) for each in ("CACHE", "STATE", "DATA")}
    agentview = CommandLine(home, home, own)
    sessions = [f"0b5f3a52-6c55-4f0e-9a51-2f7f3f1f{number:04}" for number in range(plan.of(40, 6))]
    for session in sessions:
        write(place / f"{session}.jsonl", conversation(ClaudeLog(session), 20, size=500))
    yield _written(agentview, place, plan)
    yield _indexed(agentview, root, sessions, plan)


def _written(agentview: CommandLine, place: Path, plan: Plan) -> Outcome:
    count = plan.of(300, 40)
    what = f"2 instances, {count} bookmarks, notes and stars each"
    outcome = Outcome("instances", what, unit="annotations")
    path = write(place / f"{SESSION}.jsonl", conversation(ClaudeLog(), 3))
    with outcome.timed():
        _together(
            agentview, [[sys.executable, "-c", _WRITING, own, str(count), SESSION] for own in "ab"]
        )
        ref = load_provider("claude_code").discovery.ref(path)
        found = annotations_of(ref, Path(agentview.env["AGENTVIEW_STATE_DIR"]) / "sessions")
        marked = {each.event for each in found.bookmarks}
        noted = {each.mark.event for each in found.notes}
        for own in "ab":
            for number in range(count):
                event = f"{own}-{number}"
                outcome.check(event in marked, f"the bookmark {event} is lost")
                outcome.check(event in noted, f"the note {event} is lost")
        outcome.check(found.starred, "the star is lost")
    return outcome


def _indexed(agentview: CommandLine, root: Path, sessions: list[str], plan: Plan) -> Outcome:
    """Two searches and two lists make the index and the catalogue of an empty cache at once."""
    outcome = Outcome("instances", "4 commands over an empty cache at once", unit="answers")
    with outcome.timed():
        commands = [("ls", "--json"), ("search", "please", "--json", "--limit", "0")] * 2
        for _ in range(plan.of(8, 1)):
            for each in sorted(root.glob("CACHE/**/*"), reverse=True):
                each.unlink() if each.is_file() else each.rmdir()
            answers = _together(agentview, [agentview.command(*each) for each in commands])
            listed = [{row["id"] for row in json.loads(out)} for out in answers[::2]]
            for found in listed:
                outcome.check(set(sessions) <= found, f"{len(found)} sessions are listed")
            first, second = answers[1::2]
            outcome.check(first == second, "two searches give other answers")
            outcome.check(all(one.encode() in first for one in sessions), "a session is not found")
    return outcome


def _together(agentview: CommandLine, commands: list[list[str]]) -> list[bytes]:
    """What commands print that run at once. Raises RuntimeError when one fails."""
    running = [
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=agentview.environment,
        )
        for command in commands
    ]
    ended = [each.communicate(timeout=PATIENCE * 2) for each in running]
    for process, (_, stderr) in zip(running, ended, strict=True):
        if process.returncode or stderr:
            raise RuntimeError(f"{process.args}: {stderr[-500:].decode(errors='replace')}")
    return [out for out, _ in ended]
