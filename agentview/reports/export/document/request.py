"""The part of a session to be exported, and its form."""

from enum import StrEnum
from pathlib import Path

from agentview.domain.value import Value
from agentview.reports.export.document.entries import Part
from agentview.reports.export.document.markdown import LIMIT
from agentview.timeline.view.detail_levels import DetailLevel


class Form(StrEnum):
    """The forms of a document."""

    HTML = "html"
    MARKDOWN = "markdown"
    JSON = "json"
    SVG = "svg"


ENDINGS = {
    ".html": Form.HTML,
    ".htm": Form.HTML,
    ".md": Form.MARKDOWN,
    ".markdown": Form.MARKDOWN,
    ".json": Form.JSON,
    ".svg": Form.SVG,
}
"""Forms by the endings of files."""


def form_of(path: str) -> Form | None:
    """The form that the ending of a file names; None for any other ending."""
    return ENDINGS.get(Path(path).suffix.lower())


class Frame(Value):
    """The part of a timeline that a picture has: its width, and which of its rows."""

    columns: int = 100
    first: int = 1
    """Number of the first row, from 1."""
    last: int = 40
    event: str | None = None
    """Id of an event of the activity that row 1 is of; None for the first that is exported."""
    theme: str | None = None
    """None for that of the settings."""


class ExportRequest(Value):
    """Content and form of an export."""

    form: Form
    part: Part = Part()
    level: DetailLevel | None = None
    """None for that of each kind; in Markdown, for summaries."""
    limit: int = LIMIT
    """Characters of Markdown, 0 for any number."""
    frame: Frame = Frame()
    """Of a picture."""
