"""Happier: the tool traces of its client, with and without the metadata of its second version."""

from collections.abc import Mapping

from agentview.normalize.json_values import text_of
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.happier import discovery
from agentview.providers.happier.documents import is_document, split


def protocol(record: Mapping[str, object]) -> str:
    """As the trace says of each record."""
    return text_of(record.get("protocol")) or "trace"


def _reading() -> Reading:
    from agentview.providers.happier import tools
    from agentview.providers.happier.decode import decode
    from agentview.providers.happier.records import unused_keys

    return Reading(
        decode=decode,
        attach_result=tools.attach_result,
        tool_kinds=tools.TOOL_KINDS,
        kind_of=tools.kind_of,
        unused_keys=lambda record, _source, _session: unused_keys(record),
        merge_call=tools.merge_call,
    )


PROVIDER = Provider(
    name=discovery.NAME,
    label="Happier",
    discovery=discovery,
    load_reading=_reading,
    documents=Documents(begin=is_document, split=split),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=("kind", "payload/type"), asks=("permission-request",), protocol=protocol
    ),
)
