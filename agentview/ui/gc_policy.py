"""When Python looks for garbage: often among what is new, among all that stays only while it rests.

A pass over everything takes tens of milliseconds, which a key or a frame would wait for, and finds
next to nothing: what lives longer than a frame goes when nothing refers to it any more. What is a
cycle, such as a screen that was closed, waits until nothing has been made for a while.

What stays until the program ends is taken out of all passes. A screen over the first one never is:
Python does not free what was taken out, nor what refers to it in a cycle.
"""

import asyncio
import gc
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import Context, copy_context
from time import monotonic
from typing import Any
from weakref import WeakSet

from textual._styles_cache import StylesCache
from textual.strip import Strip

_PASSES = (700, 4, 2_000)
"""Objects more than before that make a pass; passes that make one over what the last ones left, a
few thousand objects; and passes of that sort, minutes of steady work, that make one over all."""

_MANY = 8
"""Passes over what was left, from which on it is worth a pass over everything."""

_REST = 1.0
"""Seconds without a pass, after which nothing is going on."""

_MOST_CLOSED = 4
"""Screens closed since the last pass, at which the next one does not wait for a rest."""

_ALL = 2
"""The generation of Python's that holds everything."""


class GcScheduler:
    """Decides when, in one event loop, from `begin` to `end`.

    `only_lasting` says whether all that is in use stays until the program ends.
    """

    def __init__(self, only_lasting: Callable[[], bool]) -> None:
        self._only_lasting = only_lasting
        self._thresholds = gc.get_threshold()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._context: Context | None = None
        self._thread = 0
        self._passes = 0
        self._closed: WeakSet[object] = WeakSet()
        """Screens that were closed and are not freed yet."""
        self._newly_closed = 0
        self._to_keep = False
        self._last = 0.0
        self._due: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Never look at what is there by now, which stays; look at the rest when there is time."""
        self._loop = asyncio.get_running_loop()
        # Not the context of whoever is at work later, which names the screen on top.
        self._context = copy_context()
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

    def keep(self) -> None:
        """Look no more at what was made, where all of it stays until the program ends."""
        self._to_keep = self._to_keep or self._only_lasting()
        self._keep()

    def closed(self, screen: object) -> None:
        """A screen was closed, which only a pass over everything frees."""
        self._closed.add(screen)
        self._newly_closed += 1
        if self._due is None:
            self._later(_REST)

    def _keep(self) -> None:
        # A closed screen that something still refers to would stay too.
        if self._to_keep and self._loop and self._only_lasting() and not self._closed:
            self._to_keep = False
            gc.freeze()

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
            self._due = self._loop.call_later(seconds, self._look, context=self._context)

    def _look(self) -> None:
        self._due = None
        rested = monotonic() - self._last
        if rested < _REST and self._newly_closed < _MOST_CLOSED:
            self._later(_REST - rested)
        else:
            self._newly_closed = 0
            # Textual keeps the lines of up to 1,024 closed widgets as arguments of a cached call.
            StylesCache.get_inner_outer.cache_clear()
            gc.collect()
            self._keep()


_divide = Strip.divide


def _divided(self: Strip, cuts: Iterable[int]) -> Sequence[Strip]:
    """The pieces of a line between cuts, as Textual gives them."""
    # They ascend: where the first is the end, all others are beyond it.
    cuts = list(cuts)
    return (self,) if cuts and cuts[0] == self.cell_length else _divide(self, cuts)


def keep_lines_from_holding_themselves() -> None:
    """Let a line that is drawn whole not hold itself, for all lines of this process.

    Textual keeps with a line the pieces that it was divided into. A line that nothing lies over is
    its own only piece, so that only the garbage collector could free it: ten thousand objects a
    second while a log grows, for which it would hold the event loop for 20 to 70 ms now and then.
    """
    Strip.divide = _divided
