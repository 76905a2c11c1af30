"""A session line by line, for screen readers: text is only added, nothing is drawn over."""

import os
from collections.abc import Mapping

from agentview.settings.values import Linear, Settings

_ASKS = ("ACCESSIBLE", "ACCESSIBILITY_ENABLED")


def wants_linear(settings: Settings, env: Mapping[str, str] = os.environ) -> bool:
    """Return True if a session is to be shown line by line.

    `auto` is what the environment says: `ACCESSIBLE` or `ACCESSIBILITY_ENABLED` is set and not
    `0`, Emacspeak runs, or the terminal cannot place text (`TERM=dumb`).
    """
    linear = settings.accessibility.linear
    if linear is not Linear.AUTO:
        return linear is Linear.ALWAYS
    asked = any(env.get(name, "0") not in ("", "0") for name in _ASKS)
    return asked or bool(env.get("EMACSPEAK_DIR")) or env.get("TERM") == "dumb"
