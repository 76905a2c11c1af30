"""Codebuff: chats, a folder for each with all of its messages in one document."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.codebuff.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.codebuff.decode import FORM
    from agentview.providers.codebuff.tools import SPECS

    return make_reading(FORM.events, lines=FORM, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Codebuff",
    agent="codebuff",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning", "subagents"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("variant",)),
    programs=("codebuff",),
)
