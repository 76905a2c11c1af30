"""Nothing that a test copies reaches the clipboard of the person who runs it."""

import pytest


@pytest.fixture(autouse=True)
def no_clipboard_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSH_TTY", "/dev/null")


@pytest.fixture(autouse=True)
def _own_state(  # pyright: ignore[reportUnusedFunction]
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keep what a test has read from being known in another one, which has the same sessions."""
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path_factory.mktemp("state")))
