"""Happier: the tool traces of its client, with and without the metadata of its second version."""

from collections.abc import Mapping, Sequence

from agentview.domain.session import SessionRef
from agentview.normalize.json_values import text_of
from agentview.providers.base import Documents, Provider, RecordTypeKeys
from agentview.providers.happier import discovery, tools
from agentview.providers.happier.decode import decode
from agentview.providers.happier.documents import is_document, split
from agentview.providers.happier.records import unused_keys


def context_window(model: str) -> int | None:
    """None: traces name no models."""
    _ = model
    return None


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """None: a trace is of tools alone, and no session continues from it."""
    _ = ref
    return None


def protocol(record: Mapping[str, object]) -> str:
    """As the trace says of each record."""
    return text_of(record.get("protocol")) or "trace"


PROVIDER = Provider(
    name=discovery.NAME,
    label="Happier",
    discovery=discovery,
    decode=decode,
    attach_result=tools.attach_result,
    tool_kinds=tools.TOOL_KINDS,
    kind_of=tools.kind_of,
    unused_keys=lambda record, _source, _session: unused_keys(record),
    context_window=context_window,
    resume_command=resume_command,
    documents=Documents(begin=is_document, split=split),
    merge_call=tools.merge_call,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=("kind", "payload/type"), asks=("permission-request",), protocol=protocol
    ),
)
