"""Codex: the rollouts of its command line, desktop and editor clients, and what it prints."""

import re
from collections.abc import Mapping

from agentview.normalize.json_values import text_of
from agentview.normalize.model_names import names_of
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.codex import legacy_json
from agentview.providers.codex.discovery import DISCOVERY, HABITS
from agentview.providers.codex.hooks import HOOK_REPORTS

_KNOWN_WINDOWS = (
    (re.compile(r"gpt-5(?:\.[1-5])?(?:-codex.*)?$"), 258_400),
    (re.compile(r"gpt-6\.1-sol$"), 258_400),
)
"""Windows that the client states with each count of tokens (`model_context_window`, 0.118 on)."""


def context_window(model: str) -> int | None:
    """Tokens that a model holds, as the client uses it; None for a model that is not known."""
    names = [*names_of(model)]
    return next(
        (size for known, size in _KNOWN_WINDOWS for name in names if known.match(name)), None
    )


def protocol(record: Mapping[str, object]) -> str:
    """Printed lines have types of their own."""
    from agentview.providers.codex.exec_stream import is_printed

    printed = "msg" in record or is_printed(text_of(record.get("type")) or "")
    return "stream" if printed else "log"


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.codex import tools
    from agentview.providers.codex.decode import LINES, decode

    return make_reading(
        decode,
        lines=LINES,
        tools=tools.SPECS,
        find_tool=tools.find_tool,
        attach_result=tools.attach_result,
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Codex",
    agent="codex",
    protocol="codex",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "limits", "images", "reasoning", "subagents", "rewinds", "compaction"),
    context_window=context_window,
    resume_command=resume_with(
        "codex",
        "resume",
        forks={".openinterpreter": ("interpreter", "resume"), ".code": (), ".trae": ()},
    ),
    documents=Documents(begin=legacy_json.is_document, split=legacy_json.split),
    has_linked_events=True,
    refresh_ref=DISCOVERY.refresh_ref,
    record_type_keys=RecordTypeKeys(
        types=(
            "type",
            "record_type",
            "payload/type",
            "item/type",
            "payload/item/type",
            "msg/type",
        ),
        asks=("event_msg/exec_approval_request", "event_msg/apply_patch_approval_request"),
        protocol=protocol,
    ),
    hook_reports=HOOK_REPORTS,
    habits=HABITS,
    programs=("codex",),
)
