"""Kimi Code: a journal for each agent of a session, one JSON object a line."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.kimi.kimi_code.discovery import DISCOVERY

_ID = re.compile(r"session_[0-9a-zA-Z-]{8,64}")


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """Command that resumes the session; None for an agent, and where the log states no id."""
    if "kimi-desktop" in Path(ref.path).parts:
        # The program of the desktop application is not on the search path.
        return None
    if ref.parent_id is not None or _ID.fullmatch(ref.session_id) is None:
        return None
    return ("kimi", "--session", ref.session_id)


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.kimi.kimi_code.decode import LINES
    from agentview.providers.kimi.shared.results import RESULTS
    from agentview.providers.kimi.shared.tools import SPECS, find_tool

    return make_reading(
        LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool, results=RESULTS
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Kimi Code",
    agent="kimi-code",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents", "rewinds", "compaction"),
    resume_command=resume_command,
    programs=("kimi", "kimi-code"),
    record_type_keys=RecordTypeKeys(
        types=("type", "event/type", "message/role"), asks=("interaction.request",)
    ),
)
