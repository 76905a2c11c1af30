"""The program with a watch inside: `python -m benchmarks.observed FD FILE [--live] [...]`.

Runs the real screen in the terminal that it is given and writes what can be seen from inside only,
one JSON object a line, to the descriptor FD: when everything is indexed, and when the event loop
was held. With `--cpu` or `--memory` it profiles itself while `SIGUSR1` has it on.
"""

import argparse
import asyncio
import cProfile
import gc
import io
import json
import os
import pstats
import signal
import time
import tracemalloc
from pathlib import Path
from typing import Any

from agentview.domain.session import SessionRef
from agentview.ingest import LiveSession
from agentview.providers import HEAD_BYTES, load_provider, recognise
from agentview.settings import Screen, Start
from agentview.store.changes import RowsChanged
from agentview.timeline.header import OpenSession
from agentview.ui.app import AgentViewApp

_TICK = 0.001
_HELD = 0.008
"""Seconds from which a pause of the event loop is told."""
_TOP = 15


class Watch:
    """Tells over a descriptor what happens inside."""

    def __init__(self, descriptor: int, *, cpu: bool, memory: bool) -> None:
        self._out = os.fdopen(descriptor, "w", buffering=1)
        self._profile = cProfile.Profile() if cpu else None
        self._memory = memory
        self._on = False
        self._before: tracemalloc.Snapshot | None = None
        self._task: asyncio.Task[None] | None = None

    def open_session(self, ref: SessionRef, live: bool) -> OpenSession:
        """Open a session as the program does, and watch it."""
        session = LiveSession(load_provider(ref.provider), ref, live=live)
        session.open()
        session.subscribe(lambda change: self._changed(session, change))
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._feel_pulse())
        loop.add_signal_handler(signal.SIGUSR1, self._toggle)
        return session

    def tell(self, **facts: Any) -> None:
        """Write one line."""
        self._out.write(json.dumps(facts) + "\n")

    def _changed(self, session: LiveSession, change: RowsChanged) -> None:
        if change.indexed:
            rows = session.end - session.first
            self.tell(indexed=time.perf_counter(), cpu=time.process_time(), rows=rows)
            asyncio.get_running_loop().call_later(0.5, self._count, session)

    def _count(self, session: LiveSession) -> None:
        # Only after the index: asking every row takes its time.
        self.tell(visible=sum(map(session.shown, range(session.first, session.end))))

    async def _feel_pulse(self) -> None:
        last = time.perf_counter()
        while True:
            await asyncio.sleep(_TICK)
            now = time.perf_counter()
            if now - last - _TICK > _HELD:
                self.tell(held=now - last - _TICK, at=now)
            last = now

    def _toggle(self) -> None:
        self._on = not self._on
        if self._profile is not None:
            self._profile.enable() if self._on else self._profile.disable()
        if self._memory:
            self._toggle_memory()
        if self._profile is not None and not self._on:
            self.tell(profile=_top(self._profile))
        self.tell(profiling=self._on)

    def _toggle_memory(self) -> None:
        if self._on:
            tracemalloc.start(1)
            self._before = tracemalloc.take_snapshot()
        elif self._before is not None:
            found = tracemalloc.take_snapshot().compare_to(self._before, "lineno")
            tracemalloc.stop()
            self.tell(profile="\n".join(str(line) for line in found[:_TOP]))


def _top(profile: cProfile.Profile) -> str:
    out = io.StringIO()
    pstats.Stats(profile, stream=out).sort_stats("tottime").print_stats(_TOP)
    return out.getvalue()


def main() -> None:
    """Run the program until it is ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    path: Path = options.path
    with path.open("rb") as file:
        provider = recognise(file.read(HEAD_BYTES), path)
    if provider is None:
        raise SystemExit(f"{path} is no session")
    watch = Watch(options.descriptor, cpu=options.cpu, memory=options.memory)
    start = Start(Screen.SESSION, provider.discovery.ref(path), live=options.live)
    gc.disable()
    AgentViewApp(start, open_session=watch.open_session).run()


if __name__ == "__main__":
    main()
