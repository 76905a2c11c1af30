"""Pi: a tree of entries, one JSON object a line, and what its JSON and RPC modes print."""

from collections.abc import Mapping

from agentview.normalize.json_values import text_of
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.pi.pi.discovery import DISCOVERY


def _protocol(record: Mapping[str, object]) -> str:
    from agentview.providers.pi.pi.stream import STREAM

    return "stream" if text_of(record.get("type")) in STREAM else "log"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.pi.pi.decode import LINES
    from agentview.providers.pi.shared.entries import record_keys
    from agentview.providers.pi.shared.results import RESULTS
    from agentview.providers.pi.shared.tools import SPECS

    return make_reading(
        LINES.events, lines=LINES, tools=SPECS, results=RESULTS, record_keys=record_keys
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Pi",
    agent="pi",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "rewinds", "compaction"),
    resume_command=resume_with("pi", "--session", forks={".omp": ()}),
    programs=("pi",),
    record_type_keys=RecordTypeKeys(types=("type", "message/role"), protocol=_protocol),
)
