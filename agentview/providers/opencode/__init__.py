"""OpenCode: sessions in the tables of one SQLite database."""

from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.providers._kit.provider import make_provider
from agentview.providers.base import RecordTypeKeys
from agentview.providers.opencode import discovery
from agentview.providers.opencode.database import DATABASE
from agentview.providers.opencode.decode import LINES, decode
from agentview.providers.opencode.tools import SPECS


def resume_command(ref: SessionRef) -> Sequence[str] | None:
    """The command line that resumes the session; None for the session of a sub-agent."""
    return None if ref.parent_id is not None else ("opencode", "-s", ref.session_id)


PROVIDER = make_provider(
    name=discovery.NAME,
    label="OpenCode",
    agent="opencode",
    discovery=discovery,
    decode=decode,
    tools=SPECS,
    lines=LINES,
    resume_command=resume_command,
    database=DATABASE,
    record_type_keys=RecordTypeKeys(types=("table", "data/type")),
)
