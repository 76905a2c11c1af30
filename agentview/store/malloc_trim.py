"""Gives memory back to the system that the allocator of the C library holds for later."""

import ctypes


def give_back() -> None:
    """Give back what is free; nothing where the C library has no call for it.

    What a child hands over comes in messages between which arrays are made that stay: without this
    the room of the messages stays too.
    """
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):
        return
    trim(0)
