"""`agentview events --follow` while a test writes."""

import json
import subprocess
from queue import Queue
from threading import Thread
from typing import Any, Self

from tests.cli.conftest import CommandLine


class Follower:
    """`agentview events --follow` while a test writes."""

    def __init__(self, agentview: CommandLine, *arguments: str) -> None:
        self.process = subprocess.Popen(
            agentview.command("events", "--follow", *arguments),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=agentview.cwd,
            env=agentview.environment,
        )
        self._lines: Queue[bytes] = Queue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()
        self.seen: list[dict[str, Any]] = []

    def told(self) -> str:
        """The next line on standard error; waits for it."""
        assert self.process.stderr is not None
        return self.process.stderr.readline().decode()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; waits for them."""
        new = [json.loads(self._lines.get(timeout=20)) for _ in range(count)]
        self.seen += new
        return new

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(timeout=10)
        self._reader.join(timeout=10)


def latest(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What lines come to that were printed while a session was followed, by id."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        assert line["revision"] == found.get(line["id"], {"revision": 0})["revision"] + 1
        found[line["id"]] = line
    active = {name: line for name, line in found.items() if line["status"] == "active"}
    return {name: {**line, "revision": 1} for name, line in active.items()}
