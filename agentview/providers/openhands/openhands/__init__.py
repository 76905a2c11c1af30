"""OpenHands: conversations of its SDK and of the command line client that is built on it."""

import re
from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.openhands.openhands.discovery import DISCOVERY
from agentview.providers.openhands.openhands.folder import FOLDER

_ID = re.compile(r"[0-9a-f]{32}")


def _resume(ref: SessionRef) -> Sequence[str] | None:
    """Conversations are known by the names of their directories; those of agents are not."""
    known = ref.parent_id is None and _ID.fullmatch(ref.session_id) is not None
    return ("openhands", "--resume", ref.session_id) if known else None


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.openhands.openhands.decode import LINES
    from agentview.providers.openhands.openhands.results import BY_KIND
    from agentview.providers.openhands.openhands.tools import SPECS, find_tool

    return make_reading(
        LINES.events, lines=LINES, tools=SPECS, find_tool=find_tool, results=BY_KIND
    )


PROVIDER = Provider(
    name="openhands",
    label="OpenHands",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images"),
    resume_command=_resume,
    folder=FOLDER,
    record_type_keys=RecordTypeKeys(types=("kind", "action/kind", "observation/kind")),
)
