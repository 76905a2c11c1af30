"""Standard streams that were closed before the program began, or that take nothing any more."""

import os
import sys
from typing import TextIO


def reopen_closed() -> list[TextIO]:
    """Open closed standard streams on the null device; gives those that were closed.

    Otherwise the next file that is opened, such as a log, would get the number of a stream.
    """
    closed: list[TextIO] = []
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # The lowest number that is free is this one.
            os.open(os.devnull, os.O_RDWR)
            stream = open(number, "w" if number else "r", encoding="utf-8", closefd=False)  # noqa: SIM115
            closed.append(stream)
            setattr(sys, name, stream)
            setattr(sys, f"__{name}__", stream)
    return closed


def abandon(stream: TextIO) -> None:
    """Let what is still buffered for a stream go nowhere: the interpreter writes it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
