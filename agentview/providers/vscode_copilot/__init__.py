"""Copilot Chat in VS Code: its sessions, a JSON document or a log of changes each."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.vscode_copilot.archive import ARCHIVE
from agentview.providers.vscode_copilot.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.vscode_copilot.decode import FORM, decode
    from agentview.providers.vscode_copilot.tools import SPECS, find_tool

    return make_reading(decode, lines=FORM, tools=SPECS, find_tool=find_tool)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="VS Code Copilot",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("reasoning", "subagents", "rewinds"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    has_linked_events=True,
    archive=ARCHIVE,
    record_type_keys=RecordTypeKeys(types=("row",)),
)
