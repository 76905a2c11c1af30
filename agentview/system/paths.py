"""Where agentview keeps its own files, and where the data it ships with lies."""

import os
from collections.abc import Mapping
from pathlib import Path

from agentview.errors import NotFound
from agentview.system.own_folders import own_folder

_PACKAGE = Path(__file__).parents[1]


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


def config_dir() -> Path:
    """Give the directory of settings and of the user's own themes; it need not exist."""
    return Path(own_folder("config"))


def cache_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of what can be made again; it need not exist.

    AGENTVIEW_CACHE_DIR names another one.
    """
    return Path(own_folder("cache", "AGENTVIEW_CACHE_DIR", env))


def state_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of what is kept between runs, such as bookmarks; it need not exist.

    AGENTVIEW_STATE_DIR names another one.
    """
    return Path(own_folder("state", "AGENTVIEW_STATE_DIR", env))


def data_dir(env: Mapping[str, str] | None = None) -> Path:
    """Give the directory of what cannot be made again, such as archives; it need not exist.

    AGENTVIEW_DATA_DIR names another one.
    """
    return Path(own_folder("data", "AGENTVIEW_DATA_DIR", env))


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


def _shipped(name: str, package: Path) -> Path:
    candidates = [package / name]
    # Next to an installed package lie other packages' folders, which may bear the same name.
    if (package.parent / "pyproject.toml").is_file():
        candidates.append(package.parent / name)
    for candidate in candidates:
        if candidate.is_dir():
            return candidate
    raise NotFound(
        f"The {name} folder that belongs to agentview is not where it was installed.",
        "Install agentview again.",
    )
