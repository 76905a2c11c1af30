"""SpecStory: sessions of other clients, which it keeps as Markdown in each project."""

from msgspec.structs import replace

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.specstory.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.named_agent import attach_result
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.specstory.decode import RECORDS

    return replace(
        make_reading(RECORDS.events, tools={}, attach_result=attach_result), light=RECORDS.light
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="SpecStory",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning",),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=()),
)
