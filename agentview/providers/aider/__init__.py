"""Aider: the history of chats in a project, one Markdown file."""

from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.providers._kit.provider import make_provider
from agentview.providers.aider.decode import decode
from agentview.providers.aider.discovery import DISCOVERY
from agentview.providers.aider.tools import SPECS
from agentview.providers.base import Documents, RecordTypeKeys


def _resume(ref: SessionRef) -> Sequence[str] | None:
    """In the project; other names of the file have to be given to the client."""
    own = ref.path.endswith("/.aider.chat.history.md")
    return ("aider", "--restore-chat-history") if own else None


PROVIDER = make_provider(
    name="aider",
    label="Aider",
    discovery=DISCOVERY,
    decode=decode,
    tools=SPECS,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=_resume,
    # Records are text: they have no keys.
    record_type_keys=RecordTypeKeys(types=()),
)
