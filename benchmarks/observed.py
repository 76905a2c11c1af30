"""The program with a watch inside: `python -m benchmarks.observed FD FILE [--live] [--pulse]`.

Runs the real screen in the terminal that it is given and writes what can be seen from inside only,
one JSON object a line, to the descriptor FD: when everything is indexed and, with `--pulse`, when
the event loop was held. Feeling the pulse takes a twentieth of a core, so it is asked for only
where no CPU time is measured.
"""

import argparse
import asyncio
import gc
import json
import os
import time
from pathlib import Path
from typing import Any

from agentview.domain.session import SessionRef
from agentview.providers import load_provider
from agentview.sessions.following.live_session import LiveSession
from agentview.sessions.targets.log_file import file_session
from agentview.settings import LaunchOptions, Screen
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession
from agentview.ui.app import AgentViewApp

_TICK = 0.001
_HELD = 0.008
"""Seconds from which a pause of the event loop is told."""


class Watch:
    """Tells over a descriptor what happens inside."""

    def __init__(self, descriptor: int, *, pulse: bool = False) -> None:
        self._pulse = pulse
        self._out = os.fdopen(descriptor, "w", buffering=1)
        self._task: asyncio.Task[None] | None = None

    def open_session(self, ref: SessionRef, live: bool) -> OpenSession:
        """Open a session as the program does, and watch it."""
        session = LiveSession(load_provider(ref.provider), ref, live=live)
        session.open()
        session.store.subscribe(lambda change: self._changed(session, change))
        if self._pulse:
            self._task = asyncio.create_task(self.feel_pulse())
        return session

    def tell(self, **facts: Any) -> None:
        """Write one line."""
        self._out.write(json.dumps(facts) + "\n")

    def _changed(self, session: LiveSession, change: RowsChanged) -> None:
        if change.indexed:
            rows = session.store.end - session.store.first
            self.tell(indexed=time.perf_counter(), cpu=time.process_time(), rows=rows)
            asyncio.get_running_loop().call_later(0.5, self._count, session)

    def _count(self, session: LiveSession) -> None:
        # Only after the index: asking every row takes its time.
        self.tell(
            visible=sum(map(session.store.shown, range(session.store.first, session.store.end)))
        )

    async def feel_pulse(self) -> None:
        """Report each long pause of the event loop."""
        last, worked = time.perf_counter(), time.thread_time()
        while True:
            await asyncio.sleep(_TICK)
            now, work = time.perf_counter(), time.thread_time()
            if now - last - _TICK > _HELD:
                self.tell(held=now - last - _TICK, work=work - worked, at=now)
            last, worked = now, work


def run(watch: Watch, path: Path, *, live: bool) -> None:
    """Run the program on a session until it is ended."""
    start = LaunchOptions(Screen.SESSION, file_session(path), live=live)
    gc.disable()
    AgentViewApp(start, open_session=watch.open_session).run()


def main() -> None:
    """Run with a watch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("descriptor", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--pulse", action="store_true")
    options = parser.parse_args()
    run(Watch(options.descriptor, pulse=options.pulse), options.path, live=options.live)


if __name__ == "__main__":
    main()
