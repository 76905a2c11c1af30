"""The command palette: what was used last, actions, sessions, themes and settings."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from heapq import nlargest
from pathlib import Path
from typing import Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from agentview.domain.session import SessionInfo, SessionRef
from agentview.domain.value import Value
from agentview.system.file_writing import make_folder, replace_file
from agentview.system.paths import state_dir
from agentview.timeline.view.sanitize import one_line
from agentview.ui.messages import SessionChosen, SettingChanged
from agentview.ui.widgets.key_hints import ActiveBinding, bound_actions

_COLUMN = 14
"""Cells for the keys in front of each command."""
_WIDTH = 76
_FRAME = 5
"""Cells around its text: padding and scroll bar. This and `_WIDTH` follow `app.tcss`."""
_LEAST = 16
_KEPT = 6
"""Commands that are kept as used last."""
_SESSIONS = 5
"""Sessions that are listed before anything is typed; a search finds more."""
_FOUND = 30
"""Sessions that a search finds at most."""
_AT_ONCE = 1_000
"""Sessions that are looked at until others have their turn."""
_TITLE = 120
_LONGEST = 4_096
_VIEWS = "Views"


class PaletteHost(Protocol):
    """Commands and names of the application for the palette."""

    def palette_sessions(self) -> Sequence[SessionInfo]: ...

    def palette_themes(self) -> Sequence[str]: ...

    def palette_settings(self) -> Iterable[tuple[str, str]]: ...

    async def show_setting(self, key: str) -> None: ...


class Command(Value, gc=True):
    """A line of the palette. It is kept by its `id`; `lead` comes before its text."""

    id: str
    lead: str
    text: str
    run: Callable[[], object]
    words: str = ""
    """Further words by which it is found."""


class PaletteCommands(Provider):
    """Commands of the screen and of the application."""

    @property
    def _host(self) -> PaletteHost:
        return cast("PaletteHost", self.app)

    async def discover(self) -> Hits:
        """All commands, before anything is typed: those used last, then views, then the others."""
        sessions = self._host.palette_sessions()
        # In a thread: there may be very many.
        newest = await asyncio.to_thread(nlargest, _SESSIONS, sessions, _activity)
        kept = await asyncio.to_thread(last_used)
        commands = [*self._actions(), *map(self._session, newest), *self._others()]
        by_id = {command.id: command for command in commands}
        missing = {name.partition(":")[2] for name in kept if name not in by_id}
        used = (info for info in sessions if missing and info.ref.path in missing)
        by_id |= {command.id: command for command in map(self._session, used)}
        recent = [by_id[name] for name in kept if name in by_id]
        for command in (*recent, *(each for each in commands if each.id not in kept)):
            content = self._line(command, Content(command.text))
            yield DiscoveryHit(content, self._chosen(command), text=command.text)

    async def search(self, query: str) -> Hits:
        """Commands whose text or word matches."""
        matcher = self.matcher(query)
        found = [command async for command in self._found_sessions(query)]
        for command in (*self._actions(), *self._others(), *found):
            score = matcher.match(f"{command.text} {command.words}")
            if score > 0:
                content = self._line(command, matcher.highlight(command.text))
                yield Hit(score, content, self._chosen(command), text=command.text)

    def _line(self, command: Command, text: Content) -> Content:
        """The keys, and next to them the text, all lines of it."""
        width = max(_LEAST, min(_WIDTH, self.app.size.width) - _FRAME - _COLUMN)
        lines = Content("\n" + " " * _COLUMN).join(text.wrap(width))
        return Content.assemble((command.lead.ljust(_COLUMN), "$accent not bold"), lines)

    def _chosen(self, command: Command) -> Callable[[], object]:
        async def run() -> None:
            await asyncio.to_thread(keep_used, command.id)
            result = command.run()
            if asyncio.iscoroutine(result):
                await result

        return run

    def _actions(self) -> list[Command]:
        """Actions of the screen, those that show another view first."""
        actions = sorted(bound_actions(self.screen), key=lambda each: each.group != _VIEWS)
        return [
            Command(
                f"action:{action.action}",
                "  ".join(action.keys),
                action.sentence,
                lambda chosen=action: self._run(chosen),
                action.word,
            )
            for action in actions
        ]

    async def _run(self, action: ActiveBinding) -> None:
        await self.screen.run_action(action.action)

    async def _found_sessions(self, query: str) -> AsyncIterator[Command]:
        """Sessions whose title has all words of a query, a number of them at most."""
        words = query.casefold().split()
        count = 0
        for number, info in enumerate(self._host.palette_sessions()):
            if not number % _AT_ONCE:
                await asyncio.sleep(0)
            title = (info.title or "").casefold()
            if title and all(word in title for word in words):
                yield self._session(info)
                count += 1
                if count == _FOUND:
                    return

    def _session(self, info: SessionInfo) -> Command:
        title = one_line(info.title or "untitled", _TITLE)
        return Command(f"session:{info.ref.path}", "session", title, lambda: self._open(info.ref))

    def _open(self, ref: SessionRef) -> None:
        self.screen.post_message(SessionChosen(ref))

    def _others(self) -> Iterator[Command]:
        """Themes and settings."""
        for name in self._host.palette_themes():
            yield Command(
                f"theme:{name}", "theme", name, lambda name=name: self._set_theme(name), "theme"
            )
        for key, sentence in self._host.palette_settings():
            yield Command(
                f"setting:{key}",
                "setting",
                f"{key}: {sentence}",
                lambda key=key: self._host.show_setting(key),
            )

    def _set_theme(self, name: str) -> None:
        self.screen.post_message(SettingChanged("theme", name, lambda _in_force, _said: None))


def _activity(info: SessionInfo) -> float:
    return info.last_activity or 0.0


def last_used() -> list[str]:
    """The commands that were used last, the newest first."""
    try:
        with _file().open(encoding="utf-8") as file:
            lines = file.read(_KEPT * _LONGEST).splitlines()
    except (OSError, ValueError):
        return []
    return list(filter(None, lines))[:_KEPT]


def keep_used(command: str) -> None:
    """Keep a command as the one that was used last, where that can be written."""
    if "\n" in command or len(command) > _LONGEST:
        return
    kept = list(dict.fromkeys([command, *last_used()]))[:_KEPT]
    with suppress(OSError, UnicodeError):
        make_folder(_file().parent)
        replace_file(_file(), "".join(f"{line}\n" for line in kept).encode(), 0o600)


def _file() -> Path:
    return state_dir() / "palette"
