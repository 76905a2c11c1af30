"""Where tasks are, whether a file is one of theirs, and what divides it."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import is_list, records_in, split_document
from agentview.normalize.json_values import Fields, fields_of, items_of, text_of, time_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.sources.member import Member

_SHOWN = "ui_messages.json"
_SENT = "api_conversation_history.json"
_SURE = 0.98
_LIKELY = 0.9
_LOOKED_AT = 4
_BLANKS = b"\xef\xbb\xbf \t\r\n"
_OWN = ("<environment_details>", "<task>", "<user_message>")


class Tasks(JsonDocuments):
    """The extension's view of a task; where that is missing, the model's."""

    endings = (_SHOWN, _SENT)

    def probe(self, head: bytes, path: Path) -> float:
        """By the forms of the first entries, by the first message, or by the name of its file."""
        if not self.begins(head):
            return 0.0
        first: list[Fields] = []
        for each in records_in(head):
            first.append(each)
            if len(first) == _LOOKED_AT:
                break
        if first and all(map(_is_entry, first)):
            return _SURE
        # The clients have a name of their own for it, whatever the first message begins with.
        sent = path.name == _SENT and "content" in (first or [{}])[0]
        return _LIKELY if first and (sent or _is_first_message(first[0])) else 0.0

    def begins(self, head: bytes) -> bool:
        """Return True for a list."""
        return head.lstrip(_BLANKS).startswith(b"[")

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The task of a file: its folder has its id."""
        _ = head
        own = path.parent.name if path.name in self.endings and path.parent.name else path.stem
        return SessionRef(self.name, own, str(path))

    def files(self, root: Path) -> Iterable["os.DirEntry[str] | Member"]:
        """One file of each task: what is shown, else what is sent."""
        found = {Path(entry.path): entry for entry in super().files(root)}
        for path, entry in found.items():
            if entry.name == _SHOWN or path.with_name(_SHOWN) not in found:
                yield entry

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each record: a call is one with what came of it.

        Raises ValueError when it is not a document.
        """
        spans = split_document(data)
        if not is_list(data):
            return spans
        found: list[Span] = []
        open_call = False
        # Imported here: few files get this far.
        from agentview.providers.cline.cline_tasks.decode import FORM

        # Imported here: few files get this far.
        from agentview.providers.cline.cline_tasks.entries import kind_of

        # Imported here: few files get this far.
        from agentview.providers.cline.cline_tasks.history import tagged

        # Imported here: few files get this far.
        from agentview.providers.cline.cline_tasks.turn import ENDS, is_call

        for start, end in spans:
            item = FORM.typed(data[start:end])
            role = item.role or None
            if open_call and (role is None or role == "user"):
                found[-1] = (found[-1][0], end)
                open_call = role is None and kind_of(item) not in ENDS
                continue
            found.append((start, end))
            open_call = tagged(item) if role == "assistant" else role is None and is_call(item)
        return found


def _is_entry(fields: Fields) -> bool:
    kind = text_of(fields.get("type"))
    named = kind in ("say", "ask") and isinstance(fields.get(kind), str)
    return named and time_of(fields.get("ts")) is not None


def _is_first_message(fields: Fields) -> bool:
    content = fields.get("content")
    parts = [content, *(fields_of(part).get("text") for part in items_of(content))]
    words = [part for part in parts if isinstance(part, str)]
    return fields.get("role") == "user" and any(mark in part for part in words for mark in _OWN)


DISCOVERY = Tasks("cline_tasks")
