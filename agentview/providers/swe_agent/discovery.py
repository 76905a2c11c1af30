"""Where trajectories lie, whether a file is one, and what divides it."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import UNSET

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import listed_at, split_document
from agentview.normalize.json_values import fields_of, items_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments
from agentview.providers._kit.signatures import Signature
from agentview.providers.swe_agent.schema import Record

LISTS = ("history", "messages", "trajectory")
"""Members that hold the conversation, the fullest first."""
_SURE = 0.97
_STEP = Signature(_SURE, keys={"action", "observation", "thought"}, any_of={"response", "state"})
_LABELS = frozenset({"message_type", "agent"})
_SAID = frozenset({"thought", "action", "is_demo", "tool_calls", "tool_call_ids", "message_type"})


def _begins_with_step(steps: object) -> bool:
    return _STEP.fits(fields_of(next(iter(items_of(steps)), None)))


def _has_marks(messages: object) -> bool:
    return any(map(_is_marked, items_of(messages)))


class Trajectories(JsonDocuments):
    """Files `NAME.traj` of SWE-agent, and `NAME.traj.json` of mini-swe-agent."""

    endings = (".traj", ".traj.json")

    signatures = (
        Signature(
            _SURE,
            keys={"info/model_stats/instance_cost", "info/model_stats/api_calls"},
            any_of={"info/mini_version", "info/config", *LISTS},
        ),
        Signature(_SURE, {"trajectory": _begins_with_step}),
        Signature(_SURE, {"history": _has_marks}),
    )

    def session_id(self, head: bytes) -> str | None:
        """None: a trajectory goes by the name of its file."""
        _ = head

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session of a file, by its name up to `.traj`."""
        _ = head
        return SessionRef(self.name, path.name.partition(".traj")[0] or path.name, str(path))

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each record: an action without an id is one with what came of it.

        The history is read; the steps only if it is missing. Raises ValueError for another
        document.
        """
        key = next((key for key in LISTS if listed_at(data, key)), "")
        spans = split_document(data, (key,))
        if key in ("", "trajectory"):
            return spans
        items = listed_at(data, key)
        # Imported here: few files get this far.
        from agentview.providers.swe_agent.decode import FORM

        listed = [FORM.typed(data[start:end]) for start, end in items]
        return _joined(spans, spans.index(items[0]), listed)


def _joined(spans: list[Span], first: int, listed: Sequence[Record]) -> list[Span]:
    """The records, with what came of an action in the record of the action.

    A run that was replayed repeats ids: they join nothing then.
    """
    found = spans[:first]
    ids = [
        (call.id if call is not None else None) or None
        for item in listed
        for call in item.tool_calls or ()
    ]
    named = len(set(ids)) == len(ids) and None not in ids
    open_action = False
    for at, (start, end) in enumerate(spans[first:]):
        item = listed[at] if at < len(listed) else None
        role = None if item is None else item.role
        answers = item is None or (role in ("user", "tool") and not _is_interrupt(item))
        if open_action and answers:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
        if role == "assistant" or not answers:
            open_action = role == "assistant" and not (named and item and item.tool_calls)
    return found


def _is_interrupt(item: Record) -> bool:
    return item.extra is not None and item.extra.interrupt_type is not UNSET


def _is_marked(item: object) -> bool:
    """Return True if it is a message with the marks that SWE-agent puts on it."""
    keys = set(fields_of(item))
    return {"role", "content"} <= keys and bool(_LABELS & keys) and bool(_SAID & keys)


DISCOVERY = Trajectories("swe_agent")
