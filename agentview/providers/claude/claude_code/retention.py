"""How long Claude Code keeps its logs: `cleanupPeriodDays` of the user's settings, 30 by default.

The client deletes older logs when it starts, without a word.
"""

import os
from pathlib import Path

import orjson

from agentview.normalize.json_values import fields_of
from agentview.providers.base import Retention
from agentview.sources.files import read_part

_SETTING = "cleanupPeriodDays"
_DEFAULT = 30.0
_MOST_BYTES = 4 << 20


def retention(root: Path) -> Retention:
    """Return the retention of the logs below a folder `projects`, by the settings next to it."""
    path = root.parent / "settings.json"
    days: object = None
    # Opened only where it is a file: a pipe of that name would be waited for.
    if os.path.isfile(path):  # noqa: PTH113
        try:
            days = fields_of(orjson.loads(read_part(path, 0, _MOST_BYTES))).get(_SETTING)
        except ValueError:
            days = None
    if isinstance(days, bool) or not isinstance(days, int | float) or days < 0:
        days = _DEFAULT
    return Retention(float(days), _SETTING, str(path))
