"""The program with a watch inside: `python -m benchmarks.observed FD FILE [--live]`.

Runs the real screen in the terminal that it is given and writes what can be seen from inside only,
one JSON object a line, to the descriptor FD: when everything is indexed, and how much is visible.
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


class Watch:
    """Tells over a descriptor what happens inside."""

    def __init__(self, descriptor: int) -> None:
        self._out = os.fdopen(descriptor, "w", buffering=1)

    def open_session(self, ref: SessionRef, live: bool) -> OpenSession:
        """Open a session as the program does, and watch it."""
        session = LiveSession(load_provider(ref.provider), ref, live=live)
        session.open()
        session.store.subscribe(lambda change: self._changed(session, change))
        return session

    def tell(self, **facts: Any) -> None:
        """Write one line."""
        self._out.write(json.dumps(facts) + "\n")

    def _changed(self, session: LiveSession, change: RowsChanged) -> None:
        if change.indexed:
            self.tell(indexed=time.perf_counter())
            asyncio.get_running_loop().call_later(0.5, self._count, session)

    def _count(self, session: LiveSession) -> None:
        # Only after the index: asking every row takes its time.
        self.tell(
            visible=sum(map(session.store.shown, range(session.store.first, session.store.end)))
        )


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
    options = parser.parse_args()
    run(Watch(options.descriptor), options.path, live=options.live)


if __name__ == "__main__":
    main()
