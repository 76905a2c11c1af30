"""Aider: the history of chats in a project, one Markdown file."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.session import SessionRef
from agentview.providers.aider.discovery import DISCOVERY
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys


def _resume(ref: SessionRef) -> Sequence[str] | None:
    """In the project; other names of the file have to be given to the client."""
    own = ref.path.endswith("/.aider.chat.history.md")
    return ("aider", "--restore-chat-history") if own else None


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.aider.decode import RECORDS
    from agentview.providers.aider.tools import SPECS

    return replace(make_reading(RECORDS.events, tools=SPECS), light=RECORDS.light)


PROVIDER = Provider(
    name="aider",
    label="Aider",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=_resume,
    record_type_keys=RecordTypeKeys(types=()),
)
