"""Cline: sessions of its engine, each a JSON document that is rewritten in place."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.cline.cline.discovery import DISCOVERY
from agentview.providers.cline.cline.state_file import STATE_FILE


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.cline.cline.decode import FORM
    from agentview.providers.cline.shared.results import RESULTS
    from agentview.providers.cline.shared.tools import SPECS, find_tool

    return make_reading(FORM.events, lines=FORM, tools=SPECS, find_tool=find_tool, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Cline",
    agent="cline",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents"),
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("cline", "--id", ref.session_id)
    ),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("role",)),
    process_file=STATE_FILE,
    programs=("cline",),
)
