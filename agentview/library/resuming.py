"""The command line that resumes a session with its own client, in its own directory."""

import shlex
from collections.abc import Sequence


def resume_line(command: Sequence[str], directory: str | None) -> str:
    """A line for a shell: `cd DIR && COMMAND`, quoted where that is needed.

    The directory is left out where the log does not tell it, and where a line break in it would
    run what follows as soon as it is pasted; so is the command then: an empty line.
    """
    parts = [*command, directory or ""]
    if any(not part.isprintable() for part in parts):
        return ""
    line = shlex.join(command)
    return f"cd {shlex.quote(directory)} && {line}" if directory else line
