"""Whether a file has messages, and what divides it; no other format is asked after this one."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from agentview.domain.session import SessionInfo, SessionRef
from agentview.normalize.json_document import split_document
from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import begun, load
from agentview.normalize.raw_span import Span, value_spans
from agentview.providers._kit.discovery import LogFiles, first_record, probe_records
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers.base import Light
from agentview.providers.chat_log.conversation import SPANS, asked_in, has_messages
from agentview.providers.chat_log.streamed import begins_piece, is_piece, responses
from agentview.providers.folders import writers
from agentview.sources.files import read_part
from agentview.sources.member import begins_archive

_LAST_RESORT = 0.05
"""Any format that knows a record of its own is surer."""
_AROUND = b"\x00 \t\r\x1e,"
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_SAID_BY = re.compile(
    rb'"(?:[rR]ole|from|sender|author)\\?"\s*:\s*(?:\\?"|\{)'
    rb'|"type\\?"\s*:\s*\\?"response\.|"object\\?"\s*:\s*\\?"chat\.completion'
    rb'|"(?:step_number|task|system_prompt|lc|call_?[iI]d|mes|fragments|instruction|prompt)\\?"\s*:'
    rb'|"type\\?"\s*:\s*\\?"(?:(?i:human|user|ai|system)|[A-Za-z]{1,60}(?:_?[mM]essage|Event|_call|_call_output))\\?"'
)
"""Bytes that any file of messages has: few others do, which saves looking at them."""
_PROBED = 8
"""Lines that are looked at."""


def _probe_record(record: Fields) -> float:
    return _LAST_RESORT if is_piece(record) or has_messages(record) else 0.0


def _begun(value: bytes) -> float:
    """Confidence by the beginning of a value."""
    text = value.decode("utf-8", "replace")
    return _probe_record(begun(f'{{"messages":{text}' if text.startswith("[") else text) or {})


class Conversations(JsonDocuments):
    """Files of messages, as lines, as one document, or as values one after another."""

    endings = (".json", ".jsonl", ".ndjson")

    def probe(self, head: bytes, path: Path) -> float:
        """A low confidence where there are messages, and 0 where there are none.

        What is in the folder of a client has a format of its own, even where it cannot be read yet.
        """
        if _SAID_BY.search(head) is None or {*writers(path, os.environ)} - {self.name}:
            return 0.0
        if self.begins(head):
            first = islice(value_spans(head), _PROBED)
            confidence = max((_begun(head[slice(*span)]) for span in first), default=0.0)
        else:
            confidence = probe_records(head, _probe_record, most=_PROBED)
        return 0.0 if confidence and begins_archive(head) else confidence

    def begins(self, head: bytes) -> bool:
        """Return True for all that is not values on lines of their own."""
        body = head.lstrip(_BLANKS)
        if body.startswith(b"["):
            return True
        if not body.startswith(b"{"):
            return False
        lines = body.split(b"\n", _PROBED)[:_PROBED]
        try:
            first = load(lines[0].strip(_AROUND))
        except ValueError:
            return True
        # The pieces of a response are one record.
        return is_piece(fields_of(first)) or any(map(begins_piece, lines[1:]))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message of a list, and of what is around it; else of each value.

        Raises ValueError for data that has no value.
        """
        try:
            return split_document(data, _lists(data))
        except ValueError:
            spans = list(value_spans(data))
            if not spans:
                raise
            return responses(data, spans)

    def session_id(self, head: bytes) -> str | None:
        """The id of the conversation; None leaves it to the name of the file."""
        body = head.lstrip(_BLANKS)
        if body.startswith(b"["):
            return None
        fields = first_record(head) or members_of(head)
        return text(fields, "session_id", "sessionId", "conversation_id", "conversationId")

    def info(self, ref: SessionRef, decode: Light) -> SessionInfo:
        """Facts from the first and the last records."""
        head = read_part(Path(ref.path), 0, self.head_bytes)
        own = JsonDocuments.info if self.begins(head) else LogFiles.info
        return own(self, ref, decode)


def _lists(data: bytes) -> tuple[str, ...]:
    """The members of a document that are lists of messages."""
    try:
        members = fields_of(load(data.removeprefix(BOM_UTF8)))
    except ValueError:
        # An item may be nested too deeply to be read.
        members = begun(data.decode("utf-8", "replace")) or fields_of(None)
    if asked_in(members) is not None:
        # Whether that is the prompt depends on the messages.
        return ()
    lists = tuple(key for key, value in members.items() if has_messages(items_of(value)[:3]))
    # What is around the requests of a trace says again what they do.
    return () if SPANS.intersection(lists) else lists


DISCOVERY = Conversations("chat_log")
