"""Whether a file is what the client printed; wherever someone saved it."""

import re
from collections.abc import Sequence

from agentview.normalize.json_values import Fields, fields_of, items_of
from agentview.normalize.partial_json import load
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers._kit.signatures import Signature

_ID = re.compile(rb'"sessionId"\s*:\s*"([^"\\]{1,200})"')


def _are_answers(payloads: object) -> bool:
    answers = [fields_of(each) for each in items_of(payloads)]
    return bool(answers) and all("text" in each and "mediaUrl" in each for each in answers)


class PrintedRuns(JsonDocuments):
    """One document for each run."""

    signatures = (
        Signature(0.97, {"payloads": list}, any_of={"meta/agentMeta", "meta/systemPromptReport"}),
        # The answers are longer than what was read.
        Signature(0.8, {"payloads": _are_answers}, without={"meta"}),
    )

    def probe_record(self, record: Fields) -> float:
        """By the answers of a run, which may be the result of a request, and what follows them."""
        run = record if "payloads" in record else fields_of(record.get("result"))
        return super().probe_record(run)

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


DISCOVERY = PrintedRuns("openclaw_output")
