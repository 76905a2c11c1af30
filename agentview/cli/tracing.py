"""A trace that is taken beside the screen, in a process of its own, when the environment asks.

AGENTVIEW_TRACE=1 turns it on; it is written to AGENTVIEW_TRACE_FILE, else to a file of its own in
AGENTVIEW_TRACE_DIR, else in the directory for what runs leave behind. Whatever becomes of the other
process, the screen does not notice.
"""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.paths import state_dir

_OFF = frozenset({"", "0", "false", "no", "off"})


def is_on(env: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment asks for traces."""
    return env.get("AGENTVIEW_TRACE", "").strip().lower() not in _OFF


def trace_file(env: Mapping[str, str], now: float, process: int) -> Path:
    """The file that a trace begun at `now` (epoch seconds) is written to."""
    named = env.get("AGENTVIEW_TRACE_FILE", "").strip()
    if named:
        return Path(named).expanduser()
    directory = env.get("AGENTVIEW_TRACE_DIR", "").strip()
    folder = Path(directory).expanduser() if directory else state_dir() / "traces"
    stamp = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime(now))
    return folder / f"{stamp}-pid-{process}.jsonl"


@contextmanager
def traced(ref: SessionRef, env: Mapping[str, str] = os.environ) -> Generator[None]:
    """Trace the session while the block runs, if the environment asks for it."""
    child = _start(ref, env) if is_on(env) else None
    try:
        yield
    finally:
        if child is not None:
            child.terminate()
            child.wait()


def _start(ref: SessionRef, env: Mapping[str, str]) -> "subprocess.Popen[bytes] | None":
    file = trace_file(env, time.time(), os.getpid())
    command = [
        sys.executable, "-m", "agentview", "trace", ref.path, "--provider", ref.provider,
        "--follow", "--out", str(file), "--taken-for", str(os.getpid()),
    ]  # fmt: skip
    try:
        return subprocess.Popen(  # noqa: S603  (this program itself)
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**env, "AGENTVIEW_TRACE": "0"},
        )
    except OSError:
        return None
