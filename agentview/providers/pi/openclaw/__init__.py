"""OpenClaw: entries of Pi's form, in a database for each agent."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.pi.openclaw.database import DATABASE
from agentview.providers.pi.openclaw.discovery import DISCOVERY


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """Command that sends the session another message, to be appended; None for an agent's."""
    if ".qclaw" in Path(ref.path).parts:
        # How it is resumed is not known.
        return None
    if ref.parent_id is not None or not ref.session_id or ref.session_id.startswith("-"):
        return None
    return ("openclaw", "agent", "--session-id", ref.session_id, "--message")


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.pi.openclaw.decode import LINES
    from agentview.providers.pi.shared.entries import record_keys
    from agentview.providers.pi.shared.results import RESULTS
    from agentview.providers.pi.shared.tools import OPENCLAW_SPECS

    return make_reading(
        LINES.events, lines=LINES, tools=OPENCLAW_SPECS, results=RESULTS, record_keys=record_keys
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenClaw",
    agent="openclaw",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost"),
    resume_command=resume_command,
    database=DATABASE,
    record_type_keys=RecordTypeKeys(
        types=("table", "event_json/type", "event_json/message/role", "event_zstd/zstd/type")
    ),
)
