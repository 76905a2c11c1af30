"""Command Code: its sessions, which are trees of entries."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading, RecordTypeKeys
from agentview.providers.command_code.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.domain.tools import ToolKind
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.command_code.decode import LINES, record_keys
    from agentview.providers.command_code.tools import COMMAND, SPECS

    return make_reading(
        LINES.events,
        lines=LINES,
        tools=SPECS,
        results={ToolKind.SHELL: COMMAND.shell},
        record_keys=record_keys,
    )


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Command Code",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost", "images", "reasoning", "compaction"),
    resume_command=resume_with("command-code", "--resume"),
    record_type_keys=RecordTypeKeys(types=("type", "message/role")),
    programs=("command-code", "commandcode"),
)
