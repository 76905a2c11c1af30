"""Where agentview keeps its own files, and where the data it ships with lies.

The directories are those that platformdirs names; they are worked out here because platformdirs
cannot be asked about another environment than the process's own.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from agentview.errors import NotFound

_APP = "agentview"
_PACKAGE = Path(__file__).parent
_DEFAULTS = (
    {
        "XDG_CONFIG_HOME": "Library/Application Support",
        "XDG_CACHE_HOME": "Library/Caches",
        "XDG_STATE_HOME": "Library/Application Support",
    }
    if sys.platform == "darwin"
    else {
        "XDG_CONFIG_HOME": ".config",
        "XDG_CACHE_HOME": ".cache",
        "XDG_STATE_HOME": ".local/state",
    }
)


def home(env: Mapping[str, str] | None = None) -> Path:
    """Give the home directory: `HOME` of `env`, else the one that Python finds for this user.

    Raises NotFound when there is none, as for an unlisted user id in a container.
    """
    name = (os.environ if env is None else env).get("HOME")
    if name:
        return Path(name)
    try:
        return Path.home()
    except RuntimeError as error:
        raise NotFound("No home directory is known for this user.", "Set HOME.") from error


def config_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of settings and of the user's own themes; it need not exist."""
    return _directory("XDG_CONFIG_HOME", env)


def cache_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of what may be deleted at any time; it need not exist."""
    return _directory("XDG_CACHE_HOME", env)


def state_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of what is remembered between runs, as bookmarks; it need not exist."""
    return _directory("XDG_STATE_HOME", env)


def sample_sessions_dir(package: Path = _PACKAGE) -> Path:
    """Find the sample sessions, in the installed package or in a checkout.

    Raises NotFound when this installation has none.
    """
    return _shipped("sample_sessions", package)


def themes_dir(package: Path = _PACKAGE) -> Path:
    """Find the shipped themes, in the installed package or in a checkout.

    Raises NotFound when this installation has none.
    """
    return _shipped("themes", package)


def _directory(variable: str, env: Mapping[str, str] | None) -> Path:
    value = (os.environ if env is None else env).get(variable, "").strip()
    # The XDG base directory specification has relative values ignored.
    base = Path(value) if value.startswith("/") else home(env) / _DEFAULTS[variable]
    return base / _APP


def _shipped(name: str, package: Path) -> Path:
    candidates = [package / name]
    # Beside an installed package lie other packages' folders, which may bear the same name.
    if (package.parent / "pyproject.toml").is_file():
        candidates.append(package.parent / name)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise NotFound(
        f"The {name} folder that belongs to agentview is not where it was installed.",
        "Install agentview again.",
    )
