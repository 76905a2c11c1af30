"""Where threads are, whether a file is one, and what divides it."""

import re
from collections.abc import Sequence

from agentview.normalize.json_document import split_document
from agentview.normalize.json_values import fields_of, items_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.signatures import Signature

_LIKELY = 0.85
_ID = re.compile(r"T-[0-9a-f-]{8,40}", re.IGNORECASE)
_MARKS = frozenset({"messageId", "state", "usage"})


def _has_message(messages: object) -> bool:
    found = map(fields_of, items_of(messages))
    return any("content" in each and not _MARKS.isdisjoint(each) for each in found)


class Threads(JsonDocuments):
    """`T-<id>.json`, which the client writes again as a thread continues."""

    least = _LIKELY

    signatures = (
        Signature(0.97, {"id": _ID, "messages": _has_message}),
        Signature(_LIKELY, {"id": _ID}, keys={"created"}, any_of={"v", "messages"}),
    )

    def session_id(self, head: bytes) -> str | None:
        return text_of(members_of(head).get("id"))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each message, and of what is around them. Raises ValueError."""
        return split_document(data, ("messages",))


DISCOVERY = Threads("amp")
