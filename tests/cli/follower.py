"""`agentview events --follow` while a test writes."""

import json
import subprocess
from queue import Queue
from threading import Thread
from typing import IO, Any, Self

from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE


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
        self._lines, self._notices = Queue[bytes](), Queue[bytes]()
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._readers = [
            Thread(target=_read, args=pair, daemon=True)
            for pair in ((self.process.stdout, self._lines), (self.process.stderr, self._notices))
        ]
        for reader in self._readers:
            reader.start()
        self.seen: list[dict[str, Any]] = []

    def told(self) -> str:
        """The next line on standard error; waits for it."""
        return self._notices.get(timeout=PATIENCE).decode()

    def take(self, count: int) -> list[dict[str, Any]]:
        """The next `count` events; waits for them."""
        new = [json.loads(self._lines.get(timeout=PATIENCE)) for _ in range(count)]
        self.seen += new
        return new

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(timeout=PATIENCE)
        for reader in self._readers:
            reader.join(timeout=PATIENCE)


def _read(pipe: IO[bytes], lines: Queue[bytes]) -> None:
    for line in pipe:
        lines.put(line)


def latest(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What lines come to that were printed while a session was followed, by id."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        assert line["revision"] == found.get(line["id"], {"revision": 0})["revision"] + 1
        found[line["id"]] = line
    active = {name: line for name, line in found.items() if line["status"] == "active"}
    return {name: {**line, "revision": 1} for name, line in active.items()}
