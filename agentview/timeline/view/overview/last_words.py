"""The last sentence of the agent of a session, by one rule for all lists."""

import re

from agentview.domain.activity import RowKind
from agentview.domain.events import Message
from agentview.timeline.view.rows_protocol import Rows
from agentview.timeline.view.sanitize import one_line, without_escapes

MOST = 240
"""Characters of a sentence."""
FURTHEST = 2_000
"""Rows from the end among which a message is looked for."""
_TEXT = 8_000
"""Characters at the end of a message in which its last sentence is looked for."""
_FENCE = re.compile(r"^\s*(?:```|~~~).*?(?:^\s*(?:```|~~~)\s*$|\Z)", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"^\s*(?:#{1,6}\s+|>\s+|[-*+]\s+|\d+[.)]\s+)+|\*\*|__|`|^\s*[-=_*|:\s]+$")
_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\([^()\s]{0,2000}\)")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+(?=\S)")
_LEAST = 24
"""Characters of a sentence that is shown without those before it."""


def last_words(rows: Rows) -> str | None:
    """The last sentence of the last message of a log's own stream; None where there is none."""
    for row in range(rows.end - 1, max(rows.first, rows.end - FURTHEST) - 1, -1):
        if rows.kind(row) is RowKind.MESSAGE and rows.shown(row) and not rows.nested(row):
            # With the pieces that a text was written in.
            body = rows.activity(row).body
            return last_sentence(body.text) if isinstance(body, Message) else None
    return None


def last_sentence(text: str) -> str | None:
    """The last sentence of a Markdown text on one clean line, without code and tables.

    A short one comes with those before it in its paragraph. None for no words.
    """
    prose = _FENCE.sub("", without_escapes(text[-_TEXT:]))
    written = (line for line in reversed(prose.splitlines()) if line.lstrip()[:1] != "|")
    lines = (_MARKUP.sub("", _LINK.sub(r"\1", line)).strip() for line in written)
    line = next((line for line in lines if any(map(str.isalnum, line))), None)
    if line is None:
        return None
    sentences = _SENTENCE.split(one_line(line, _TEXT))
    said = sentences.pop()
    while sentences and len(said) < _LEAST:
        said = f"{sentences.pop()} {said}"
    return said[:MOST] or None
