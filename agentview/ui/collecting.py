"""When Python looks for garbage: often among what is new, among all that stays only while it rests.

A pass over everything takes tens of milliseconds, which a key or a frame would wait for, and finds
next to nothing: what lives longer than a frame goes when nothing refers to it any more. What is a
cycle, such as a screen that was closed, waits until nothing has been made for a while.
"""

import asyncio
import gc
import threading
from collections.abc import Mapping
from time import monotonic
from typing import Any

_PASSES = (700, 4, 2_000)
"""Objects more than before that make a pass; passes that make one over what the last ones left, a
few thousand objects; and passes of that sort, minutes of steady work, that make one over all."""

_MANY = 8
"""Passes over what was left, from which on it is worth a pass over everything."""

_REST = 1.0
"""Seconds without a pass, after which nothing is going on."""

_ALL = 2
"""The generation of Python's that holds everything."""


class Collector:
    """Decides when, in one event loop, from `begin` to `end`."""

    def __init__(self) -> None:
        self._thresholds = gc.get_threshold()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._passes = 0
        self._last = 0.0
        self._due: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Never look at what is there by now, which stays; look at the rest when there is time."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._thresholds = gc.get_threshold()
        gc.freeze()
        gc.set_threshold(*_PASSES)
        gc.callbacks.append(self._passed)
        gc.enable()

    def end(self) -> None:
        """Leave it to Python again."""
        if self._loop is None:
            return
        self._loop = None
        gc.callbacks.remove(self._passed)
        gc.set_threshold(*self._thresholds)
        if self._due is not None:
            self._due.cancel()

    def _passed(self, phase: str, info: Mapping[str, Any]) -> None:
        if phase != "stop":
            return
        self._last = monotonic()
        if info["generation"] == _ALL:
            self._passes = 0
        elif info["generation"]:
            self._passes += 1
        # Whoever makes objects in another thread may not ask the loop for anything.
        if self._passes >= _MANY and self._due is None and threading.get_ident() == self._thread:
            self._later(_REST)

    def _later(self, seconds: float) -> None:
        if self._loop is not None:
            self._due = self._loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._due = None
        rested = monotonic() - self._last
        if rested < _REST:
            self._later(_REST - rested)
        else:
            gc.collect()
