"""Drives a client from moment to moment and looks at what agentview shows of it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.live.client import Background, Client, Place, Prompt
from tests.live.model_server import Model, ModelServer
from tests.live.moments import BY_NAME, Look, Observation, Result, shown_after, verdict
from tests.live.script import AGENT_MARK, COMMAND_MARK, SLEEP, ended
from tests.live.surfaces import Surfaces
from tests.live.terminal import Terminal, wait_for

_PATIENCE = 40.0
"""Seconds to wait for what a client must come to."""
_SLOWEST_START = 150.0
"""The same for the start of a client."""
_LATER = 4.0
"""Seconds after which a moment is looked at once more."""
_SLOWEST = 10.0
"""Seconds to wait for a prompt to be shown."""
_SLOW_START = 8.0
"""Seconds after which a prompt that the model did not get is sent again."""
_STOPS = 4
"""How often a client is told to stop: a busy one may not take the keys."""
_STOPPED = 5.0
"""Seconds that it may take to."""
_DOUBLE = 0.2
"""Seconds between two presses of a key that belong together."""
_SETTLE = 1.5
"""Seconds that clients take to get ready for the next prompt."""


class Run:
    """A run of one client in a directory of its own."""

    def __init__(self, client: Client, installations: Path, directory: Path) -> None:
        self._client = client
        self._directory = directory
        shutil.rmtree(directory, ignore_errors=True)
        self._home, self._repository = directory / "home", directory / "repository"
        self._home.mkdir(parents=True)
        _make_repository(self._repository)
        executable = client.executable(installations)
        assert executable is not None
        self._command = [str(executable), *client.arguments]
        self._path = f"{installations / 'node/node_modules/.bin'}:{os.environ['PATH']}"
        self._version = client.version(installations)
        self._model = Model(client, lambda: self._place, directory / "requests.jsonl")
        self._server = ModelServer(self._model)
        self._place = Place(self._home, self._repository, self._server.server_address[1])
        self._terminal = Terminal(directory / "tmux")
        self._surfaces = Surfaces(directory, self._home, self._repository)
        self._sessions: list[str] = []
        self._seen: dict[str, Observation] = {}
        self._log = (directory / "screens.txt").open("w", buffering=1)

    def result(self) -> Result:
        """Go through all moments."""
        self._client.prepare(self._place)
        with self._server, self._watched():
            try:
                self._surfaces.open_board()
                self._all_moments()
            finally:
                self._terminal.close()
                self._surfaces.close()
        observations = tuple(self._seen[name] for name in BY_NAME if name in self._seen)
        today = datetime.now(UTC).date().isoformat()
        return Result(self._client.name, self._client.label, self._version, today, observations)

    def _all_moments(self) -> None:
        self._start()
        self._look("started")
        self._permissions()
        self._agent()
        self._questions()
        self._answers()
        before = tuple(self._sessions)
        self._terminal.say(self._client.clear)
        time.sleep(_SETTLE)
        self._look("cleared", before=before)
        if before and not self._model.streams:
            self._look("before", session=before[-1])
        self._says("last")
        self._shows(ended("last"))
        self._terminal.say(self._client.leave)
        if self._comes("left", lambda: self._terminal.pid is None):
            self._look("left")
        self._start()
        self._says("command")
        if self._asks_or_runs():
            self._look_now()
            self._kill()
            self._look("killed")
        if self._client.background is not None:
            self._background(self._client.background)
            self._kill()

    def _background(self, background: Background) -> None:
        """Sessions without a terminal wait for the user, by the list of the client."""

        def waiting() -> int:
            listed = self._run_client(*background.listed)
            return len(re.findall(background.waits, listed))

        for moment, conversation in (
            ("background-needs", "needs"),
            ("background-asked", "command"),
        ):
            before = waiting()
            self._model.begin(conversation)
            self._run_client(*background.start, f"Please do this. [[{conversation}]]")
            if self._comes(moment, lambda known=before: waiting() > known):
                self._look(moment)

    def _run_client(self, *arguments: str) -> str:
        """What the client prints."""
        done = subprocess.run(
            [*self._command, *arguments],
            env=self._client_environment(),
            cwd=self._repository,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SLOWEST_START,
        )
        return done.stdout

    def _asks_or_runs(self) -> bool:
        if Prompt.COMMAND in self._client.shown:
            return self._prompt(Prompt.COMMAND)
        return self._comes("command-runs", (self._repository / COMMAND_MARK).exists)

    def _permissions(self) -> None:
        self._says("command")
        if self._prompt(Prompt.COMMAND):
            self._look("command-asked")
            self._terminal.press(*self._client.allow)
        if self._comes("command-runs", (self._repository / COMMAND_MARK).exists):
            self._look("command-runs")
            _end_commands()
        if self._shows(ended("command")):
            self._look("turn-ended")
        self._ready()
        if Prompt.COMMAND not in self._client.shown:
            return
        self._says("refused")
        if self._prompt(Prompt.COMMAND):
            self._look("refusal-asked")
            self._terminal.press(*self._client.refuse)
            self._look("refused")
        self._ready()
        self._says("file")
        if self._prompt(Prompt.FILE):
            self._look("file-asked")
            self._terminal.press(*self._client.allow)
            self._shows(ended("file"))
        self._ready()

    def _agent(self) -> None:
        if Prompt.AGENT not in self._client.shown:
            return
        self._says("agent")
        if self._prompt(Prompt.AGENT) and not self._model.has_begun("subagent"):
            self._look("delegation-asked")
            self._terminal.press(*self._client.allow)
        begun = self._comes("agent", lambda: self._model.has_begun("subagent"))
        if begun and self._prompt(Prompt.AGENT):
            self._look("agent-asked")
            self._terminal.press(*self._client.allow)
            if self._comes("agent-runs", (self._repository / AGENT_MARK).exists):
                self._look("agent-runs")
                _end_commands()
                self._shows(ended("agent"))
        self._ready()

    def _questions(self) -> None:
        if self._client.plan_mode:
            self._terminal.say(self._client.plan_mode)
        if Prompt.QUESTION not in self._client.shown:
            return
        self._says("question")
        if self._prompt(Prompt.QUESTION):
            self._look("question")
            self._terminal.press(*self._client.allow)
            self._shows(ended("question"))
        self._ready()
        if Prompt.PLAN not in self._client.shown:
            return
        self._says("plan")
        if self._prompt(Prompt.PLAN):
            self._look("plan")
            self._terminal.press(*self._client.refuse)
        self._ready()

    def _answers(self) -> None:
        self._says("stream")
        if self._shows("This text streams"):
            time.sleep(_SETTLE)
            self._look("streams")
            if self._stops():
                self._look("stopped")
        self._ready()
        self._says("error")
        if self._prompt(Prompt.FAILED):
            self._look("failed")
        self._ready()
        asked = self._model.asked
        self._says("limit")
        if self._model.asked > asked:
            self._look("limited")
        self._terminal.press(*self._client.stop, pause=_DOUBLE)
        self._ready()

    def _stops(self) -> bool:
        """Stop the answer that streams."""
        for _ in range(_STOPS):
            self._terminal.press(*self._client.stop, pause=_DOUBLE)
            if self._comes("stopped", lambda: not self._model.streams, _STOPPED):
                return True
        return False

    def _start(self) -> None:
        self._surfaces.open_tail()
        self._terminal.start(self._command, self._client_environment(), self._repository)
        self._prompt(Prompt.READY, _SLOWEST_START)
        self._terminal.press(*self._client.first_keys)
        time.sleep(_SETTLE)

    def _says(self, conversation: str) -> None:
        for mark in (COMMAND_MARK, AGENT_MARK):
            (self._repository / mark).unlink(missing_ok=True)
        self._model.begin(conversation)
        self._model.begin("subagent")
        asked, prompt = self._model.asked, f"Please do this. [[{conversation}]]"
        self._terminal.say(prompt)
        if wait_for(lambda: self._model.asked > asked, _SLOW_START) is None:
            if prompt in self._terminal.text:
                self._terminal.press("Enter")
            else:
                self._terminal.say(prompt)

    def _ready(self) -> None:
        """Leave whatever is open, so that the next conversation can begin."""
        time.sleep(_SETTLE)
        if self._is_open():
            self._terminal.press("Escape")
        self._terminal.press("C-u")

    def _is_open(self) -> bool:
        text = self._terminal.text
        prompts = (Prompt.COMMAND, Prompt.FILE, Prompt.QUESTION, Prompt.PLAN)
        return any(re.search(self._client.shown.get(each, "$^"), text) for each in prompts)

    def _prompt(self, prompt: Prompt, patience: float = _PATIENCE) -> bool:
        pattern = self._client.shown.get(prompt)
        return pattern is not None and self._comes(
            prompt, lambda: re.search(pattern, self._terminal.text) is not None, patience
        )

    def _shows(self, text: str) -> bool:
        return self._comes(text, lambda: text in self._terminal.text)

    def _comes(self, what: str, condition: Callable[[], bool], patience: float = _PATIENCE) -> bool:
        came = wait_for(condition, patience) is not None
        if not came:
            self._note(f"did not come: {what}")
        return came

    def _kill(self) -> None:
        """Kill every process of the client, as far as it knows its home."""
        mark = f"HOME={self._home}".encode()
        for pid in _processes_with(mark):
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if b"agentview" not in words and not words[0].endswith(b"tmux"):
                os.kill(pid, signal.SIGKILL)

    def _look(self, name: str, *, before: Sequence[str] = (), session: str | None = None) -> None:
        """Look until a true state is shown, for the grace at least, and once more later.

        Without a `session`, at the newest one that was not there `before`.
        """
        moment = BY_NAME[name]
        began = time.time()
        looks: list[Look] = []
        patience = _SLOWEST if moment.is_prompt else moment.grace
        with self._surfaces.watched(moment) as shown:
            while True:
                looks.append(self._look_now(began, before, session))
                observation = Observation(name, tuple(looks))
                if shown_after(observation) is not None or looks[-1].after > patience:
                    break
            time.sleep(max(0.0, began + moment.grace + _LATER - time.time()))
            looks.append(self._look_now(began, before, session))
        self._seen[name] = Observation(name, _changes(looks), tuple(shown))
        for surface, text in self._surfaces.texts().items():
            self._log.write(f"\n---- {surface}\n{text.rstrip()}\n")
        self._note(f"{name}: {verdict(self._seen[name])} {json.dumps(_shown(looks[-1]))}")
        print(
            f"  {verdict(self._seen[name]):7} {name:15} {_described(self._seen[name])}", flush=True
        )

    def _look_now(
        self, began: float = 0.0, before: Sequence[str] = (), session: str | None = None
    ) -> Look:
        after = round(time.time() - began, 1)
        rows = self._new_rows("status")
        wanted = session or (self._sessions[-1] if self._sessions else None)
        if wanted not in rows:
            rows = self._new_rows("ls")
            wanted = session or (self._sessions[-1] if self._sessions else None)
        row = None if wanted is None or wanted in before else rows.get(wanted)
        if row is None:
            return Look(after)
        about = row["about"] and row["about"].replace(f"{self._repository}/", "")
        about = about and about.replace(str(self._home), "~")
        return Look(after, row["state"], row["certain"], row["evidence"], about, row["agent"])

    def _new_rows(self, command: str) -> dict[str, dict[str, Any]]:
        """The sessions by id, which are remembered in the order in which they came."""
        rows = {str(row["id"]): row for row in self._rows(command)}
        self._sessions += [name for name in rows if name not in self._sessions]
        return rows

    def _rows(self, command: str) -> list[dict[str, Any]]:
        done = subprocess.run(
            [sys.executable, "-m", "agentview", command, "--json"],
            env=self._own_environment(),
            cwd=self._repository,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or done.stderr:
            self._note(f"agentview {command}: {done.returncode} {done.stderr}")
        rows: list[dict[str, Any]] = json.loads(done.stdout) if done.stdout.strip() else []
        self._log.write(f"{command}: {json.dumps(rows)}\n")
        return rows

    def _client_environment(self) -> Mapping[str, str]:
        return {
            "PATH": self._path,
            "HOME": str(self._home),
            "LANG": "C.UTF-8",
            "COLORTERM": "truecolor",
            **self._client.environment(self._place),
        }

    def _own_environment(self) -> Mapping[str, str]:
        return {"PATH": os.environ["PATH"], "HOME": str(self._home), "LANG": "C.UTF-8"}

    @contextmanager
    def _watched(self) -> Generator[None]:
        """`agentview watch` runs beside the client, as a board or a status bar does."""
        with (self._directory / "watch.jsonl").open("w") as out:
            watching = subprocess.Popen(
                [sys.executable, "-m", "agentview", "watch", "--json"],
                env=self._own_environment(),
                cwd=self._repository,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
            try:
                yield
            finally:
                watching.terminate()
                watching.wait()

    def _note(self, text: str) -> None:
        self._log.write(f"\n==== {time.time():.1f} {text}\n{self._terminal.text.rstrip()}\n")


def _changes(looks: Iterable[Look]) -> tuple[Look, ...]:
    """Looks without those that are as the one before and after them."""
    found = list(looks)
    return tuple(
        look
        for index, look in enumerate(found)
        if index in (0, len(found) - 1)
        or not _shown(found[index - 1]) == _shown(look) == _shown(found[index + 1])
    )


def _shown(look: Look) -> list[Any]:
    return [look.state, look.certain, look.evidence, look.about, look.agent]


def _described(observation: Observation) -> str:
    look = observation.looks[-1]
    state = "not listed" if look.state is None else f"{look.state}{'' if look.certain else '?'}"
    after = shown_after(observation)
    return (
        f"{state} by {look.evidence}, {look.about!r}, {'never' if after is None else f'{after} s'}"
        + "".join(f"; {each.surface} {each.after} {each.labels}" for each in observation.shown)
    )


def _end_commands() -> None:
    """End what the commands of the script wait for. No other process runs that here."""
    line = b"\0".join(word.encode() for word in (*SLEEP, ""))
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (path / "cmdline").read_bytes() == line:
                os.kill(int(path.name), signal.SIGTERM)


def _processes_with(variable: bytes) -> Iterator[int]:
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if variable in (path / "environ").read_bytes().split(b"\0"):
                yield int(path.name)
        except OSError:
            continue


def _make_repository(path: Path) -> None:
    """A small repository, with nothing that a client must be asked about."""
    (path / "docs").mkdir(parents=True)
    (path / "docs" / "guide.md").write_text("# Guide\n")
    (path / "README.md").write_text("# Scripted work\n")
    person = ["-c", "user.name=live", "-c", "user.email=live@example.invalid"]
    for command in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "Begin"]):
        subprocess.run(["git", "-C", str(path), *person, *command], check=True)
