"""Output through the person's pager."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import IO, cast

from agentview.timeline.view.sanitize import sent

DEFAULT = "less -R"

_LESS = "FRX"
"""Default options of `less`: show colours, end when all fits on one screen."""


@contextmanager
def paged(wanted: bool) -> Generator[Callable[[str], object]]:
    """Give a function that writes text: to the pager, or to standard output when there is none.

    `PAGER` names the pager; empty or `cat` means none.
    """
    command = shlex.split(os.environ.get("PAGER", DEFAULT)) if wanted else []
    if not command or command == ["cat"] or shutil.which(command[0]) is None:
        yield sys.stdout.write
        return
    env = {**os.environ, "LESS": os.environ.get("LESS", _LESS)}
    with subprocess.Popen(  # noqa: S603  (the person's own choice of a pager)
        command, stdin=subprocess.PIPE, env=env, text=True, errors="replace"
    ) as pager:
        text = cast("IO[str]", pager.stdin)
        try:
            yield lambda line: text.write(sent(line))
        except BrokenPipeError:
            # The person has read enough.
            pass
        except KeyboardInterrupt:
            pager.terminate()
            raise
        finally:
            with suppress(BrokenPipeError):
                text.close()
