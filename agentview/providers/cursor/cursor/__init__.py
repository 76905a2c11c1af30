"""Cursor: what its agent prints, the transcripts that it keeps, and messages of its SDK."""

from collections.abc import Mapping

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.cursor.cursor import discovery
from agentview.providers.cursor.cursor.hooks import HOOK_REPORTS
from agentview.providers.cursor.cursor.text_transcript import begins_plain, split_plain


def protocol(record: Mapping[str, object]) -> str:
    """Lines of a printed stream have a type, those of transcripts a role."""
    return "stream" if "type" in record else "log"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.cursor.cursor.decode import LINES, decode
    from agentview.providers.cursor.shared import results, tools

    return make_reading(
        decode, lines=LINES, tools=tools.SPECS, find_tool=tools.find_tool, results=results.BY_KIND
    )


PROVIDER = Provider(
    name=discovery.NAME,
    label="Cursor",
    agent="cursor",
    discovery=discovery,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents"),
    resume_command=resume_with("cursor-agent", "--resume"),
    documents=Documents(begin=begins_plain, split=split_plain),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(types=("type", "subtype", "role"), protocol=protocol),
    hook_reports=HOOK_REPORTS,
    programs=("cursor-agent",),
)
