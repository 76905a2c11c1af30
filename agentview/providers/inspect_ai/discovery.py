"""Where evaluations are: each sample in an archive is a session."""

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers._kit.archive_logs import ArchiveLogs
from agentview.providers.inspect_ai.archive import ARCHIVE

_SURE = 0.99


class Evaluations(ArchiveLogs):
    """Logs `*.eval` and `*.json` in the folder that the user names for them."""

    endings = (".eval", ".json")

    def probe_line(self, line: bytes) -> float:
        """Certain of the first line of a sample."""
        if not line.startswith(b'{"eval":'):
            return 0.0
        try:
            fields = fields_of(orjson.loads(line))
        except ValueError:
            return 0.0
        return _SURE if {"sample", "version"} <= set(fields) else 0.0


DISCOVERY = Evaluations("inspect_ai", ARCHIVE)
