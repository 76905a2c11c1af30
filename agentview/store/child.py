"""A child process that works in the background, so that the screen is not held up."""

import os
import signal
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

__all__ = ["BrokenProcessPool", "background_pool"]

_NICE = 10


def background_pool() -> ProcessPoolExecutor:
    """One child with low priority that leaves interrupts from the terminal to its parent."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_become_background)


def _become_background() -> None:
    os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
