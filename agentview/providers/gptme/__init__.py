"""gptme: conversations in the terminal, a folder with a log of messages for each."""

from collections.abc import Sequence

from agentview.domain.session import SessionRef
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.gptme.discovery import DISCOVERY
from agentview.sources.files import is_file_name


def _resume(ref: SessionRef) -> Sequence[str] | None:
    """Conversations are known by the names of their folders."""
    known = is_file_name(ref.session_id) and not ref.session_id.startswith("-")
    return ("gptme", "--name", ref.session_id) if known else None


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.gptme.decode import LINES, decode
    from agentview.providers.gptme.tools import BY_KIND, SPECS

    return make_reading(decode, lines=LINES, tools=SPECS, results=BY_KIND)


PROVIDER = Provider(
    name="gptme",
    label="gptme",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "reasoning"),
    resume_command=_resume,
    record_type_keys=RecordTypeKeys(types=("role",), keys=("call_id",)),
)
