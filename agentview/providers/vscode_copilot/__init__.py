"""Copilot Chat in VS Code: its sessions, a JSON document each."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents
from agentview.providers.vscode_copilot.decode import FORM, decode
from agentview.providers.vscode_copilot.discovery import DISCOVERY
from agentview.providers.vscode_copilot.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="VS Code Copilot",
    discovery=DISCOVERY,
    decode=decode,
    lines=FORM,
    tools=SPECS,
    find_tool=find_tool,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
)
