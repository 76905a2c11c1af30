"""Tasks of the editor extensions Cline, Roo Code and Kilo Code, and of clients built on them."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.cline.cline_tasks.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.cline.cline_tasks.decode import FORM
    from agentview.providers.cline.shared.results import RESULTS
    from agentview.providers.cline.shared.tools import SPECS, find_tool

    return make_reading(FORM.events, lines=FORM, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Cline tasks",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "compaction"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("type", "say", "ask", "role")),
)
