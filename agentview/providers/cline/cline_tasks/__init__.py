"""Tasks of the editor extensions Cline, Roo Code and Kilo Code, and of clients built on them."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.cline.cline_tasks.decode import FORM, decode
from agentview.providers.cline.cline_tasks.discovery import DISCOVERY
from agentview.providers.cline.shared.results import RESULTS
from agentview.providers.cline.shared.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Cline tasks",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=FORM,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("type", "say", "ask", "role")),
)
