"""When Python looks for garbage: often among what is new, and among what stays while nobody types.

A pass over everything takes a tenth of a second and finds next to nothing, so what a few passes
have left is not looked at again (it still goes when nothing refers to it). What was left and is a
cycle, such as a screen that was closed, waits until no key has come for a while.
"""

import asyncio
import gc
from collections.abc import Callable, Mapping
from typing import Any

_PASSES = (500, 4, 2)
"""Objects more than before that make a pass; passes that make one over the next generation. So no
pass is over more than some 8,000 objects: 2 ms."""

_OLDEST = 2

_REST = 10.0
"""Seconds without a key before everything is looked at."""

_MANY = 200
"""Passes over the oldest generation, after which everything is due to be looked at."""


class Collector:
    """Decides when; `keys` tells how many keys there have been."""

    def __init__(self, keys: Callable[[], int]) -> None:
        self._keys = keys
        self._keys_then = 0
        self._passes = 0
        self._due: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thresholds = gc.get_threshold()

    def begin(self) -> None:
        """Look at nothing that is there by now, and from now on at little at a time."""
        self._loop = asyncio.get_running_loop()
        self._thresholds = gc.get_threshold()
        _leave_all()
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

    def let_go(self) -> None:
        """Something large is not needed any more: look for it when no key has come for a while."""
        if self._due is None and self._loop is not None:
            self._keys_then = self._keys()
            self._due = self._loop.call_later(_REST, self._look_at_all)

    def _look_at_all(self) -> None:
        self._due = None
        if self._keys() != self._keys_then:
            self.let_go()
            return
        self._passes = 0
        gc.unfreeze()
        gc.collect()
        _leave_all()

    def _passed(self, phase: str, facts: Mapping[str, Any]) -> None:
        if phase != "stop" or facts["generation"] != _OLDEST:
            return
        gc.freeze()
        self._passes += 1
        if self._passes == _MANY and self._loop is not None:
            # The pass may have been made in any thread.
            self._loop.call_soon_threadsafe(self.let_go)


def _leave_all() -> None:
    """Look at nothing again that is there now.

    The pass over what is left, next to nothing, has Python forget how much there was: it puts
    passes over the oldest generation off until a quarter as much is new.
    """
    gc.freeze()
    gc.collect()
