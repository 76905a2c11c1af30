"""A home with two sessions, over which the tasks of docs/how-do-i.md are played."""

import json
import os
import subprocess
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, write
from tests.cli.conftest import CommandLine

NEWEST = "3f2a0c41-6c55-4f0e-9a51-2f7f3f1f0001"
"""The demo session: its last prompt and what followed it are of this minute, the rest is older."""
OLDER = "9c8d7e61-6c55-4f0e-9a51-2f7f3f1f0002"
"""Of yesterday: it wrote src/retry.py in the working directory, and used a token."""
TOKEN = "ghp_" + "aB3dE6" * 6

_LAST_PROMPT = "also mention it in the changelog"
_EARLIER = timedelta(minutes=10)
_TEXT = "CAP = 30\n\n\ndef pause(attempt):\n    return min(CAP, 2**attempt)\n"


def make_home(agentview: CommandLine) -> Path:
    """Write the sessions, and the files that they name; gives the log of the older one."""
    # It is noon: yesterday does not become the day before while the tasks are played.
    agentview.env["TZ"] = f"NOON{datetime.now(UTC).hour - 12:+d}"
    root = agentview.home / ".claude" / "projects"
    _write_newest(root / "-till", agentview.home / "till")
    return _write_older(root / "-shop" / f"{OLDER}.jsonl", agentview.cwd)


def _write_newest(folder: Path, project: Path) -> None:
    demo = sample_sessions_dir() / "claude_code" / "demo.jsonl"
    lines = demo.read_text().splitlines()
    last = next(number for number, line in enumerate(lines) if _LAST_PROMPT in line)
    age = datetime.now(UTC) - max(filter(None, map(_time, lines)))
    agents = sorted((demo.with_suffix("") / "subagents").iterdir())
    for path, target in (
        (demo, folder / f"{NEWEST}.jsonl"),
        *((agent, folder / NEWEST / "subagents" / agent.name) for agent in agents),
    ):
        records = [
            _moved(line, age if path == demo and number >= last else age - _EARLIER)
            .replace(json.loads(lines[0])["sessionId"], NEWEST)
            .replace("/home/dev/ws/till", str(project))
            for number, line in enumerate(path.read_text().splitlines())
        ]
        write(target, [f"{record}\n".encode() for record in records])
    test = project / "tests" / "test_invoice.py"
    test.parent.mkdir(parents=True)
    test.write_text("\n" * 20)


def _time(line: str) -> datetime | None:
    text = json.loads(line).get("timestamp")
    return datetime.fromisoformat(text) if text else None


def _moved(line: str, by: timedelta) -> str:
    """A record whose time is another one."""
    time = _time(line)
    if time is None:
        return line
    moved = (time + by).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return line.replace(json.loads(line)["timestamp"], moved)


def _write_older(path: Path, project: Path) -> Path:
    source = project / "src" / "retry.py"
    source.parent.mkdir()
    source.write_text(_TEXT)
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "Cap it")):
        who = ("-c", "user.email=a@example.com", "-c", "user.name=A")
        subprocess.run(["git", *who, *arguments], cwd=project, check=True)
    day_ago = time.time() - 86_400
    log = ClaudeLog(OLDER, began=day_ago)
    records = [
        log.prompt("Cap the exponential backoff"),
        log.call("toolu_1", "Write", file_path=str(source), content=_TEXT),
        log.result("toolu_1", f"File created successfully at: {source}"),
        log.call("toolu_2", "Bash", command=f"curl -H 'Authorization: Bearer {TOKEN}' x.test"),
        log.result("toolu_2", "ok"),
        log.text("The backoff has a cap now.", "end_turn"),
    ]
    write(path, [record.replace(b"/home/dev/shop", str(project).encode()) for record in records])
    os.utime(path, (day_ago + 60, day_ago + 60))
    return path
