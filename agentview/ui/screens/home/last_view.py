"""Which view of home was shown last, kept between runs."""

from contextlib import suppress
from pathlib import Path

from agentview.system.file_writing import make_folder, replace_file
from agentview.system.paths import state_dir


def last_view() -> str:
    """The name of the view; empty where none is kept."""
    try:
        return _file().read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""


def keep_view(name: str) -> None:
    with suppress(OSError):
        make_folder(_file().parent)
        replace_file(_file(), f"{name}\n".encode(), 0o600)


def _file() -> Path:
    return state_dir() / "view"
