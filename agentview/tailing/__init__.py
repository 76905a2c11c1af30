"""Bytes: reads files and pipes that others write, and knows when they change.

Here is what reading needs. `watcher` and `stdin` are imported by name, since they cost the start of
a program more than all of this.
"""

from agentview.tailing.backward import Block, Tail, blocks_backward, tail_lines
from agentview.tailing.documents import Document, DocumentReader
from agentview.tailing.file import read_at
from agentview.tailing.lines import Chunk, Item, LineReader, Reset
from agentview.tailing.mark import Mark, ResetReason
from agentview.tailing.splitter import Account, Line

__all__ = [
    "Account",
    "Block",
    "Chunk",
    "Document",
    "DocumentReader",
    "Item",
    "Line",
    "LineReader",
    "Mark",
    "Reset",
    "ResetReason",
    "Tail",
    "blocks_backward",
    "read_at",
    "tail_lines",
]
