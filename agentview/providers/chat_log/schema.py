"""Records of chat logs, which may be of any program: nothing of them can be declared.

All is read from their values, by what makes a message one.
"""

from msgspec import Struct


class Record(Struct, gc=False):
    """A message, or anything that has messages in it."""
