"""Claude's printed stream: what its command line and its SDK print as JSON while they work."""

from collections.abc import Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.normalize.json_document import split_document
from agentview.providers._kit.late_session_id import named_late
from agentview.providers._kit.resume_command import resuming
from agentview.providers.base import Documents, Marks, Provider
from agentview.providers.claude.claude_stream import discovery
from agentview.providers.claude.claude_stream.decode import decode
from agentview.providers.claude.claude_stream.discovery import begins_list
from agentview.providers.claude.shared import tools
from agentview.providers.claude.shared.context_windows import context_window


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """The command line that resumes the session, which the client keeps in a transcript too."""
    return resuming(ref, "claude", "--resume")


def unused_keys(record: bytes) -> Sequence[str]:
    """JSON pointers of the keys of a record that nothing reads."""
    # The models cost more to build than all of decoding; only the raw view asks for them.
    from agentview.providers.claude.claude_stream.records import unused_keys as find

    return find(record)


def protocol(record: Mapping[str, object]) -> str:
    """All of it is printed."""
    _ = record
    return "stream"


PROVIDER = Provider(
    name=discovery.NAME,
    label="Claude stream",
    agent="claude",
    protocol="claude",
    discovery=discovery,
    decode=decode,
    answer=tools.answer,
    tool_kinds={name: spec.kind for name, spec in tools.SPECS.items()},
    kind_of=tools.kind_of,
    unused_keys=unused_keys,
    context_window=context_window,
    resume_command=resume_command,
    documents=Documents(begin=begins_list, split=split_document),
    amend=tools.amend,
    tied=True,
    marks=Marks(
        types=("type", "subtype", "event/type", "request/subtype"),
        asks=("control_request/can_use_tool",),
        protocol=protocol,
    ),
    grown=named_late(discovery.ref),
)
