"""Calls from threads."""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import ParamSpec

Given = ParamSpec("Given")


def on_loop(take: Callable[Given, object]) -> Callable[Given, None]:
    """Return a function for threads that has `take` called on the event loop that runs now."""
    loop = asyncio.get_running_loop()
    # A thread has no context of its own, in which a timer of a screen finds the application.
    context = copy_context()

    def call(*given: Given.args, **named: Given.kwargs) -> None:
        try:
            loop.call_soon_threadsafe(lambda: take(*given, **named), context=context)
        except RuntimeError:
            # The program has ended meanwhile.
            return

    return call
