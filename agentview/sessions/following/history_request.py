"""Request to a worker to read a part of a log.

It has a module of its own: the worker imports what is kept on disk, which a screen need not have.
"""

from agentview.domain.session import SessionRef
from agentview.domain.value import Value


class Request(Value):
    """Read the log before byte `end`; the rows of the lines from `tail` to `end` are known.

    Packets are wanted of what lies before `before`: a child that takes the place of another one
    reads again what that one has sent. `whole` is for a log whose records may be written again: the
    byte of the first one, and the digest of all from there to `end`, so that the child reads the
    same. `lines` is a descriptor of the lines of a session that is not a file, where there is one.
    """

    session: SessionRef
    tail: int
    end: int
    before: int
    whole: tuple[int, bytes] | None = None
    lines: int | None = None
