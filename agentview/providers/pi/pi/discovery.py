"""Where sessions are, and whether a file is one."""

from pathlib import Path

from agentview.providers._kit.discovery import LogFiles
from agentview.providers.pi.shared.probing import probe_entries, session_id


class PiLogs(LogFiles):
    """A file for each session in a folder for each project, or what the client printed."""

    def probe(self, head: bytes, path: Path) -> float:
        """Confidence that a file beginning with `head` is a session of this client."""
        _ = path
        return probe_entries(head)

    def session_id(self, head: bytes) -> str | None:
        return session_id(head)


DISCOVERY = PiLogs("pi")
