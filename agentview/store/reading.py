"""Chooses how a log is read: as lines that are appended, or as a document that is rewritten."""

from pathlib import Path

from agentview.errors import AgentViewError
from agentview.providers import HEAD_BYTES
from agentview.providers.base import Provider
from agentview.sources.lines import LineReader, LogReader
from agentview.sources.open_file import read_head


def log_reader(provider: Provider, path: Path) -> LogReader:
    """A reader from the start of the file; of lines where nothing says that it is a document."""
    documents = provider.documents
    if documents is None:
        return LineReader(path)
    try:
        head = read_head(path, HEAD_BYTES)
    except AgentViewError:
        head = b""
    if not documents.begin(head):
        return LineReader(path)
    # Most logs are lines.
    from agentview.sources.document import DocumentLines

    return DocumentLines(path, documents.split)
