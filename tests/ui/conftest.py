"""Nothing that a test copies reaches the clipboard of the person who runs it."""

import pytest


@pytest.fixture(autouse=True)
def no_clipboard_of_the_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "TMUX", "WSL_DISTRO_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSH_TTY", "/dev/null")
