"""Qwen Code: its sessions and what it prints; it grew out of Gemini CLI."""

from collections.abc import Mapping, Sequence

from agentview.normalize.json_document import split_document
from agentview.providers._kit.discovery import named_late
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import HEAD_BYTES, Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.gemini.qwen_code.discovery import (
    DISCOVERY,
    begins_list,
    is_old_document,
    original,
)
from agentview.providers.gemini.qwen_code.habits import HABITS
from agentview.providers.gemini.qwen_code.hooks import HOOK_REPORTS
from agentview.providers.gemini.qwen_code.live_registry import LIVE_REGISTRY, RUNTIME_FILE


def protocol(record: Mapping[str, object]) -> str:
    """Printed lines name their session in another way."""
    from agentview.providers.gemini.qwen_code.stream import is_printed

    return "stream" if is_printed(record) else "log"


def begins(head: bytes) -> bool:
    return begins_list(head) or is_old_document(head)


def split(data: bytes) -> Sequence[tuple[int, int]]:
    """Start and end of each record. Raises ValueError when it is not a document."""
    documents = original().documents
    old = documents is not None and is_old_document(data[:HEAD_BYTES])
    return documents.split(data) if documents is not None and old else split_document(data)


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.gemini.qwen_code import tools
    from agentview.providers.gemini.qwen_code.decode import LINES, decode
    from agentview.providers.gemini.qwen_code.system import record_keys
    from agentview.providers.gemini.shared.tools import BY_KIND

    return make_reading(
        decode,
        lines=LINES,
        tools=tools.SPECS,
        find_tool=tools.find_tool,
        results=BY_KIND,
        record_keys=record_keys,
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Qwen Code",
    agent="qwen",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning", "subagents", "rewinds", "compaction"),
    resume_command=resume_with("qwen", "--resume"),
    documents=Documents(begin=begins, split=split),
    has_linked_events=True,
    record_type_keys=RecordTypeKeys(
        types=("type", "subtype", "systemPayload/type", "event/type"), protocol=protocol
    ),
    refresh_ref=named_late(DISCOVERY.ref),
    live_registry=LIVE_REGISTRY,
    process_file=RUNTIME_FILE,
    hook_reports=HOOK_REPORTS,
    habits=HABITS,
    programs=("qwen", "qwen-code"),
)
