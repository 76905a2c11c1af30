"""Bytes: reads files and pipes that others write, and knows when they change.

Here is what reading needs. `watcher` and `stdin` are imported by name, since they cost the start of
a program more than all of this.
"""

from agentview.tailing.backward import Block, Tail, blocks_backward, tail_lines
from agentview.tailing.document_lines import DocumentLines, LogReader
from agentview.tailing.documents import Document, DocumentReader
from agentview.tailing.file import read_at, read_head
from agentview.tailing.lines import Chunk, Item, LineReader, Reset
from agentview.tailing.mark import Mark, ResetReason
from agentview.tailing.splitter import Account, Line

__all__ = [
    "Account",
    "Block",
    "Chunk",
    "Document",
    "DocumentLines",
    "DocumentReader",
    "Item",
    "Line",
    "LineReader",
    "LogReader",
    "Mark",
    "Reset",
    "ResetReason",
    "Tail",
    "blocks_backward",
    "read_at",
    "read_head",
    "tail_lines",
]
