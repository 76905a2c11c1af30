"""Traces that are taken next to the screen, in processes of their own, when the environment asks.

AGENTVIEW_TRACE=1 turns it on; it is written to AGENTVIEW_TRACE_FILE, else to a file of its own in
AGENTVIEW_TRACE_DIR, else in the directory for what runs leave behind. Whatever becomes of the other
process, the screen does not notice.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from agentview.cli.tee import Tee
from agentview.domain.session import SessionRef
from agentview.system import platforms
from agentview.system.paths import state_dir

_OFF = frozenset({"", "0", "false", "no", "off"})

_PATIENCE = 2.0
"""Seconds that the end of the screen waits for the other process to take what it was given."""


def is_on(env: Mapping[str, str] = os.environ) -> bool:
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


@contextmanager
def traced_pipe(env: Mapping[str, str] = os.environ) -> Generator[Callable[[bytes], None] | None]:
    """Return a consumer of a pipe's bytes that traces them, if the environment asks for it.

    The other process ends by itself once it has traced what it was given, also after this one.
    """
    if not is_on(env):
        yield None
        return
    theirs, ours = os.pipe()
    child = _run(["-"], env, stdin=theirs)
    os.close(theirs)
    feed = Tee(ours)

    def take(piece: bytes) -> None:
        with suppress(BrokenPipeError):
            feed.write(piece)

    try:
        yield take if child is not None else None
    finally:
        feed.close(_PATIENCE)


def _start(ref: SessionRef, env: Mapping[str, str]) -> "subprocess.Popen[bytes] | None":
    words = [ref.path, "--provider", ref.provider, "--follow", "--taken-for", str(os.getpid())]
    return _run(words, env, stdin=subprocess.DEVNULL)


def _run(words: list[str], env: Mapping[str, str], stdin: int) -> "subprocess.Popen[bytes] | None":
    file = trace_file(env, time.time(), os.getpid())
    try:
        return subprocess.Popen(  # noqa: S603  (this program itself)
            [sys.executable, "-m", "agentview", "trace", *words, "--out", str(file)],
            stdin=stdin,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Keys that stop the screen are not for it.
            env={**env, "AGENTVIEW_TRACE": "0"},
            **platforms.DETACHED,
        )
    except OSError:
        return None
