"""Whether a file is what the client printed; wherever someone saved it."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import load
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of

_SURE, _LIKELY = 0.97, 0.8
_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')
_META = frozenset({"agentMeta", "systemPromptReport"})


class PrintedRuns(JsonDocuments):
    """One document for each run."""

    def probe(self, head: bytes, path: Path) -> float:
        """By the answers of a run, and by what the client says of it."""
        _ = path
        if b'"payloads"' not in head:
            return 0.0
        members = members_of(head)
        run = fields_of(members.get("result")) if "payloads" not in members else members
        if not isinstance(run.get("payloads"), list):
            return 0.0
        if not _META.isdisjoint(fields_of(run.get("meta"))):
            return _SURE
        return _LIKELY if _are_answers(run) else 0.0

    def session_id(self, head: bytes) -> str | None:
        """The id of the session, which stands behind the answers."""
        found = _ID.search(head)
        return found[1].decode("utf-8", "replace") if found is not None else None

    def split(self, data: bytes) -> Sequence[Span]:
        """The whole document: the prompt stands behind the answers.

        Raises ValueError when it is none.
        """
        load(data.removeprefix(b"\xef\xbb\xbf"))
        return [(0, len(data))]


def _are_answers(run: Fields) -> bool:
    """Return True if there are answers, and nothing else is known yet."""
    answers = [fields_of(each) for each in items_of(run.get("payloads"))]
    known = all("text" in each and "mediaUrl" in each for each in answers)
    return bool(answers) and known and "meta" not in run


DISCOVERY = PrintedRuns("openclaw_output")
