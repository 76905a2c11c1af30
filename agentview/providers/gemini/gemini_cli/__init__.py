"""Gemini CLI: its sessions, as documents and as lines, and what it prints."""

from collections.abc import Mapping

from agentview.providers._kit.discovery import named_late
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.gemini.gemini_cli import documents
from agentview.providers.gemini.gemini_cli.discovery import DISCOVERY, HABITS
from agentview.providers.gemini.gemini_cli.hooks import HOOK_REPORTS


def protocol(record: Mapping[str, object]) -> str:
    """Return `stream` for printed lines and printed answers, by their keys; else `log`."""
    from agentview.providers.gemini.gemini_cli.stream import is_answer, is_printed

    return "stream" if is_printed(record) or is_answer(record) else "log"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.gemini.gemini_cli import tools
    from agentview.providers.gemini.gemini_cli.decode import LINES, decode
    from agentview.providers.gemini.shared.tools import BY_KIND

    return make_reading(decode, lines=LINES, tools=tools.SPECS, results=BY_KIND)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Gemini CLI",
    agent="gemini",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents", "rewinds"),
    resume_command=resume_with("gemini", "--resume"),
    documents=Documents(begin=documents.is_document, split=documents.split),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=("type", "role"), keys=("$set", "$rewindTo", "stats", "sessionId"), protocol=protocol
    ),
    refresh_ref=named_late(DISCOVERY.ref),
    habits=HABITS,
    programs=("gemini",),
    hook_reports=HOOK_REPORTS,
)
