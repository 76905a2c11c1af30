"""Pi: a tree of entries, one JSON object a line, and what its JSON and RPC modes print."""

from collections.abc import Mapping

from agentview.normalize.json_values import text_of
from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import RecordTypeKeys
from agentview.providers.pi.pi.decode import LINES, decode
from agentview.providers.pi.pi.discovery import DISCOVERY
from agentview.providers.pi.pi.stream import STREAM
from agentview.providers.pi.shared.entries import record_keys
from agentview.providers.pi.shared.results import RESULTS
from agentview.providers.pi.shared.tools import SPECS, find_tool


def _protocol(record: Mapping[str, object]) -> str:
    return "stream" if text_of(record.get("type")) in STREAM else "log"


PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Pi",
    agent="pi",
    discovery=DISCOVERY,
    decode=decode,
    lines=LINES,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    resume_command=resume_with("pi", "--session"),
    record_keys=record_keys,
    record_type_keys=RecordTypeKeys(types=("type", "message/role"), protocol=_protocol),
)
