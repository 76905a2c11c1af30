"""Real processes that stand for clients, and the entries that such a client writes of itself."""

import json
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

SESSION = "0b6c1a52-3f6e-4a3b-9a53-5a3f6d1c2e01"


@contextmanager
def process() -> Generator[subprocess.Popen[bytes]]:
    """A process that does nothing; it is gone when the block ends."""
    running = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def started(pid: int) -> str:
    """Field 22 of `/proc/<pid>/stat`."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def here() -> str:
    """The machine and the namespace of processes, in the client's form."""
    machine = Path("/etc/machine-id").read_text().strip()
    return f"linux:{machine}:{Path('/proc/self/ns/pid').readlink()}"


def write_entry(home: Path, pid: int, session: str = SESSION, /, **fields: object) -> Path:
    """Write the entry of a client into the list of a home, as the client itself does."""
    known: dict[str, object] = {
        "pid": pid,
        "sessionId": session,
        "cwd": "/w/shop",
        "startedAt": int(time.time() * 1000),
        "version": "2.1.331",
        "kind": "interactive",
        "entrypoint": "cli",
        "name": "shop-1f",
        "status": "idle",
        "updatedAt": int(time.time() * 1000),
        "statusUpdatedAt": int(time.time() * 1000),
    }
    entry = home / ".claude" / "sessions" / f"{pid}.json"
    entry.parent.mkdir(parents=True, exist_ok=True)
    known |= fields
    entry.write_text(json.dumps({key: each for key, each in known.items() if each is not None}))
    return entry


def log_of(home: Path, session: str = SESSION) -> Path:
    """Where the log of a session of a home is."""
    return home / ".claude" / "projects" / "-w-shop" / f"{session}.jsonl"
