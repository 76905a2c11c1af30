"""Output of OpenCode and Kilo: a run as lines of JSON, and a session that is exported."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.opencode.opencode_output.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.opencode.opencode_output.decode import LINES, decode
    from agentview.providers.opencode.shared.tools import RESULTS, SPECS, find_tool

    return make_reading(decode, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenCode output",
    agent="opencode",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage",),
    resume_command=DISCOVERY.resume_command,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "part/type", "info/role")),
    programs=("opencode",),
)
