"""Cline: sessions of its engine, each a JSON document that is rewritten in place."""

from agentview.providers._kit.provider import make_provider
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.cline.cline.decode import FORM, decode
from agentview.providers.cline.cline.discovery import DISCOVERY
from agentview.providers.cline.shared.results import RESULTS
from agentview.providers.cline.shared.tools import SPECS, find_tool

PROVIDER = make_provider(
    name=DISCOVERY.name,
    label="Cline",
    agent="cline",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    find_tool=find_tool,
    results=RESULTS,
    lines=FORM,
    resume_command=lambda ref: (
        None if ref.parent_id is not None else ("cline", "--id", ref.session_id)
    ),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("role",)),
    programs=("cline",),
)
