"""Names of the directories of our own files. Imports nothing that takes time.

A prompt waits for what needs them, and platformdirs takes longer to import than Python to start.
"""

import os
import sys
from collections.abc import Mapping
from functools import lru_cache

_APP = "agentview"
_XDG = {
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "config": ("XDG_CONFIG_HOME", ".config"),
    "data": ("XDG_DATA_HOME", ".local/share"),
    "state": ("XDG_STATE_HOME", ".local/state"),
}
"""Variable and place below the home directory, by the XDG Base Directory Specification."""


def own_folder(kind: str, named: str | None = None, env: Mapping[str, str] | None = None) -> str:
    """The directory of `cache`, `config`, `data` or `state`; it need not exist.

    `named` is a variable that names another one.
    """
    given = "" if named is None else (os.environ if env is None else env).get(named, "").strip()
    if given:
        return os.path.expanduser(given)  # noqa: PTH111
    if sys.platform == "linux":
        variable, below = _XDG[kind]
        base = os.environ.get(variable, "").strip() or _below_home(below, os.environ.get("HOME"))
        return os.path.join(base, _APP)  # noqa: PTH118
    import platformdirs

    place = {
        "cache": platformdirs.user_cache_dir,
        "config": platformdirs.user_config_dir,
        "data": platformdirs.user_data_dir,
        "state": platformdirs.user_state_dir,
    }[kind]
    return place(_APP, appauthor=False)


@lru_cache(maxsize=16)
def _below_home(below: str, _home: str | None) -> str:
    """A place below the home directory, which is asked for once for each of thousands of logs."""
    return os.path.expanduser(f"~/{below}")  # noqa: PTH111
