"""Cursor: what its agent prints, the transcripts that it keeps, and messages of its SDK."""

from collections.abc import Mapping

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, RecordTypeKeys
from agentview.providers.cursor import discovery, tools
from agentview.providers.cursor.decode import decode
from agentview.providers.cursor.records import unused_keys
from agentview.providers.cursor.text_transcript import begins_plain, split_plain


def context_window(model: str) -> int | None:
    """None: neither the client nor its logs tell how much a model holds."""
    _ = model
    return None


def protocol(record: Mapping[str, object]) -> str:
    """Lines of a printed stream have a type, those of transcripts a role."""
    return "stream" if "type" in record else "log"


PROVIDER = Provider(
    name=discovery.NAME,
    label="Cursor",
    agent="cursor",
    discovery=discovery,
    decode=decode,
    attach_result=tools.attach_result,
    tool_kinds={name: spec.kind for name, spec in tools.SPECS.items()},
    kind_of=tools.kind_of,
    unused_keys=lambda record, _source, _session: unused_keys(record),
    context_window=context_window,
    resume_command=resume_with("cursor-agent", "--resume"),
    documents=Documents(begin=begins_plain, split=split_plain),
    merge_call=tools.merge_call,
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "subtype", "role"), protocol=protocol),
)
