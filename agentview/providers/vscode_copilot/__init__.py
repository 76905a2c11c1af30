"""Copilot Chat in VS Code: its sessions, a JSON document each."""

from agentview.providers.base import Documents, Provider, Reading
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
    records=("reasoning",),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
)
