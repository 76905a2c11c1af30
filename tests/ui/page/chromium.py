"""A headless Chromium, driven through its DevTools pipe: what a page does, asks for and says."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

INSTALL = "apt-get install chromium"
INSTALL_AXE = "npm install -g axe-core"

_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--no-first-run", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--remote-debugging-pipe",
)  # fmt: skip


def program() -> str:
    """The path of Chromium; skips the test where there is none."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip(f"Chromium is not installed: {INSTALL}")
    return found


def axe_source() -> str:
    """The source of axe-core; skips the test where there is none."""
    root = os.environ.get("NODE_PATH")
    if root is None and shutil.which("npm"):
        done = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=False)
        root = done.stdout.strip()
    path = Path(root or "/nowhere") / "axe-core" / "axe.min.js"
    if not path.is_file():
        pytest.skip(f"axe-core is not installed: {INSTALL_AXE}")
    return path.read_text()


class Chromium:
    """One page at a time. `requests`, `console` and `errors` are what came since it was opened."""

    def __init__(self, profile: Path) -> None:
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # Out of the way of the two numbers that Chromium reads and writes.
        ends = [fcntl.fcntl(each, fcntl.F_DUPFD, 50) for each in (to_read, to_write)]

        def numbered() -> None:
            for end, number in zip(ends, (3, 4), strict=True):
                os.dup2(end, number)

        self._process = subprocess.Popen(
            [program(), *_FLAGS, f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=numbered,  # noqa: PLW1509
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for each in ends:
            os.close(each)
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._count = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.console: list[str] = []
        self.loaded = False
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(each["targetId"] for each in targets if each["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._to)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._from)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its result."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file and wait until it is loaded."""
        # Another fragment of the same file would not be loaded again.
        for url in ("about:blank", f"{path.as_uri()}{fragment}"):
            self._load(url)

    def _load(self, url: str) -> None:
        self.requests, self.console, self.loaded = [], [], False
        self.send("Page.navigate", url=url)
        while not self.loaded:
            self._next()

    def run(self, script: str) -> Any:
        """The value of an expression, awaited, as JSON has it."""
        done = self.send(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in done, done["exceptionDetails"]
        return done["result"].get("value")

    def wait(self, script: str) -> None:
        """Wait until an expression is true, looked at in each frame of the page."""
        self.run(
            "new Promise((done) => { const look = () => "
            f"({script}) ? done(true) : setTimeout(look, 20); look(); }})"
        )

    def press(self, key: str) -> None:
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.send(
                "Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else ""
            )

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            piece = os.read(self._from, 1 << 20)
            assert piece, "Chromium ended"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        note: Callable[[dict[str, Any]], None] | None = _EVENTS.get(message.get("method", ""))
        if note is not None:
            note({"browser": self, **message["params"]})
        return message


def _requested(event: dict[str, Any]) -> None:
    event["browser"].requests.append(event["request"]["url"])


def _said(event: dict[str, Any]) -> None:
    words = " ".join(str(each.get("value", each)) for each in event["args"])
    event["browser"].console.append(f"{event['type']}: {words}")


def _logged(event: dict[str, Any]) -> None:
    event["browser"].console.append(f"{event['entry']['level']}: {event['entry']['text']}")


def _thrown(event: dict[str, Any]) -> None:
    event["browser"].console.append(f"exception: {event['exceptionDetails']}")


def _loaded(event: dict[str, Any]) -> None:
    event["browser"].loaded = True


_EVENTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "Network.requestWillBeSent": _requested,
    "Runtime.consoleAPICalled": _said,
    "Log.entryAdded": _logged,
    "Runtime.exceptionThrown": _thrown,
    "Page.loadEventFired": _loaded,
}
