"""Whether a file is a trajectory, of which agent, and what divides it."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import listed_at, split_document
from agentview.normalize.json_values import fields_of, text_of
from agentview.normalize.raw_span import Span
from agentview.providers._kit.json_documents import JsonDocuments, members_of
from agentview.providers._kit.signatures import Signature

EMBEDDED = "subagent_trajectories"
"""The member that holds trajectories of agents that this one started."""


class Trajectories(JsonDocuments):
    """Documents whose schema is a version of ATIF; they lie where somebody put them."""

    signatures = (Signature(0.99, {"schema_version": re.compile("ATIF-v.*", re.DOTALL)}),)

    def session(self, path: Path, head: bytes) -> SessionRef:
        """The session of a file; its label is the agent, whose tools the steps name."""
        members = members_of(head)
        name = text_of(members.get("session_id")) or text_of(members.get("trajectory_id"))
        agent = text_of(fields_of(members.get("agent")).get("name"))
        return SessionRef(self.name, name or path.stem, str(path), label=agent)

    def split(self, data: bytes) -> Sequence[Span]:
        """Start and end of each step, of each embedded trajectory, and of what is around them.

        Raises ValueError when it is not a document.
        """
        spans = split_document(data, ("steps",))
        begin, end = spans[-1]
        tail = data[begin:end]
        if not tail.lstrip().startswith(b"]") or EMBEDDED.encode() not in tail:
            return spans
        # The members behind the steps, as an object: it begins where the list ended.
        record = b"{" + tail.lstrip()[1:].lstrip().removeprefix(b",")
        shift = end - len(record)
        found = listed_at(record, EMBEDDED)
        if not found:
            return spans
        placed = [(start + shift, stop + shift) for start, stop in found]
        return [*spans[:-1], (begin, placed[0][0]), *placed, (placed[-1][1], end)]


DISCOVERY = Trajectories("atif")
