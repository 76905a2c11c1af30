"""Happier: the tool traces of its client, with and without the metadata of its second version."""

from collections.abc import Mapping

from msgspec.structs import replace

from agentview.normalize.json_values import text_of
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.happier import discovery
from agentview.providers.happier.documents import is_document, split


def protocol(record: Mapping[str, object]) -> str:
    return text_of(record.get("protocol")) or "trace"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.happier import tools
    from agentview.providers.happier.decode import LINES

    made = make_reading(
        LINES.events,
        lines=LINES,
        tools=tools.SPECS,
        find_tool=lambda name, args: tools.spec_for(name, "", args),
        attach_result=tools.attach_result,
    )
    return replace(made, merge_call=tools.merge_call)


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
