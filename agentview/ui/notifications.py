"""Notifications of the running program: hears of states, knows the focus, uses the ways.

One function takes every change, whoever saw it: `status_changed`.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Protocol

from agentview.domain.session import SessionInfo
from agentview.domain.session_state import Looping, LoopingLimits, SessionStatus
from agentview.notify.decision import (
    Announcement,
    NotificationRules,
    Source,
    Subject,
    is_wanted,
)
from agentview.notify.escape_codes import BELL, code_of, notification, title_code
from agentview.settings.values import NotifyScope, NotifySettings
from agentview.timeline.rows.changes import RowsChanged
from agentview.timeline.view.header import OpenSession, looping_words

_SOON = 0.1
"""Seconds for which changes of a session are gathered."""


class Host(Protocol):
    """The part of the program that notifications need."""

    def notify_settings(self) -> NotifySettings: ...

    def looping_settings(self) -> LoopingLimits: ...

    def now(self) -> float:
        """The time, epoch seconds."""
        ...

    def to_terminal(self, text: str) -> None:
        """Write to the terminal, between two frames."""
        ...

    def masked_text(self, text: str) -> str: ...

    def say_lasting(self, words: str) -> None: ...


class Notifications:
    """A part of the application; it is not used before the first frame."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._rules = NotificationRules(host.now())
        self._focused = True
        self._open: dict[int, tuple[OpenSession, Callable[[], None]]] = {}
        self._due: dict[int, asyncio.TimerHandle] = {}
        self._held: dict[tuple[str, str], asyncio.TimerHandle] = {}
        """Sessions that are looked at again, since what they ask may be known then."""
        self._looping: set[tuple[str, str, float | None]] = set()
        """Turns of sessions that were notified as going round in circles."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._number = 0
        self._shown = 0
        """How many sessions the terminal's title says need their person."""

    # What changes

    def status_changed(self, subject: Subject, status: SessionStatus, source: Source) -> None:
        """Take the state of a session as somebody sees it now, changed or not."""
        settings = self._host.notify_settings()
        notice = self._rules.take(subject, status, source, self._host.now())
        silent = self._focused and not settings.focused
        if notice is not None and not silent and is_wanted(notice, source, settings):
            self._rules.record(notice)
            self._give(notice, settings)
        elif (held := self._rules.held(subject)) is not None and subject.key not in self._held:
            loop, wait = asyncio.get_running_loop(), held[2] - self._host.now()
            self._held[subject.key] = loop.call_later(max(0.0, wait), self._take_held, subject)
        self._show_title(settings)

    def _take_held(self, subject: Subject) -> None:
        del self._held[subject.key]
        if (held := self._rules.held(subject)) is not None:
            self.status_changed(subject, *held[:2])

    def listed(self, infos: Iterable[tuple[SessionInfo, SessionStatus]], source: Source) -> None:
        """Take sessions as the library or the board has them."""
        if self._host.notify_settings().scope is not NotifyScope.ALL:
            return
        for info, status in infos:
            self.status_changed(Subject(info.ref, info.title, info.project), status, source)

    def looping(self, subject: Subject, found: Looping | None, words: str, source: Source) -> None:
        """Take what shows that an agent goes round in circles; `words` are empty for too little."""
        settings = self._host.notify_settings()
        silent = self._focused and not settings.focused
        scope = NotifyScope.FOLLOWED if source is Source.OPEN else NotifyScope.ALL
        if found is None or not words or silent or not settings.looping:
            return
        key = (*subject.key, found.turn)
        if key not in self._looping and settings.scope in (scope, NotifyScope.ALL):
            # Imported here: few agents are stuck.
            from agentview.notify.looping import LoopingNotice

            self._looping.add(key)
            self._give(LoopingNotice(subject, found.turn, words), settings)

    def unlisted(self, infos: Iterable[SessionInfo]) -> None:
        for info in infos:
            self._rules.release(Subject(info.ref, info.title, info.project), Source.BOARD)

    def focus(self, focused: bool) -> None:
        """Take whether the terminal has the focus."""
        self._focused = focused
        if focused:
            self._rules.looked()
        self._show_title(self._host.notify_settings())

    # Sessions that are open

    def follow(self, session: OpenSession) -> None:
        """Look at the state of an open session whenever something in it changes."""
        if id(session) in self._open:
            return

        def changed(_change: RowsChanged) -> None:
            self._look_soon(session)

        self._open[id(session)] = session, session.store.subscribe(changed)
        self._look_soon(session)

    def unfollow(self, session: OpenSession) -> None:
        """Look at it no longer."""
        found = self._open.pop(id(session), None)
        due = self._due.pop(id(session), None)
        if due is not None:
            due.cancel()
        if found is not None:
            found[1]()
            self._rules.release(_subject(session), Source.OPEN)
            self._show_title(self._host.notify_settings())

    def look(self) -> None:
        """Look at all open sessions: time alone changes states."""
        for session, _ in tuple(self._open.values()):
            self._look(session)

    def close(self) -> None:
        """Follow nothing, and leave the terminal's title as it was."""
        for session, _ in tuple(self._open.values()):
            self.unfollow(session)
        for timer in self._held.values():
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        if self._shown:
            self._shown = 0
            self._host.to_terminal(title_code(0, first=False))

    def _look_soon(self, session: OpenSession) -> None:
        if id(session) not in self._due:
            loop = asyncio.get_running_loop()
            self._due[id(session)] = loop.call_later(_SOON, self._look, session)

    def _look(self, session: OpenSession) -> None:
        self._due.pop(id(session), None)
        if id(session) in self._open:
            facts, subject = session.header(), _subject(session)
            self.status_changed(subject, facts.status, Source.OPEN)
            words = looping_words(facts.looping, self._host.now(), self._host.looping_settings())
            self.looping(subject, facts.looping, words, Source.OPEN)

    def announce(self, notice: Announcement) -> None:
        """Say something in the status line, and notify of it as the settings say."""
        settings = self._host.notify_settings()
        self._host.say_lasting(f"{notice.title}, {notice.text}")
        silent = self._focused and not settings.focused
        if not silent and settings.scope is not NotifyScope.OFF:
            self._give(notice, settings)

    # Ways

    def _show_title(self, settings: NotifySettings) -> None:
        waiting = self._rules.waiting(settings.scope) if settings.title else 0
        if waiting != self._shown:
            self._host.to_terminal(title_code(waiting, first=not self._shown))
            self._shown = waiting

    def _give(self, notice: Announcement, settings: NotifySettings) -> None:
        self._later(self._give_once(notice, settings))

    def _later(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _give_once(self, notice: Announcement, settings: NotifySettings) -> None:
        # Imported when it is first wanted: most sessions notify of nothing.
        from agentview.notify.once import is_first
        from agentview.notify.programs import desktop_command, run

        occasion = notice.occasion
        if occasion is not None and not await asyncio.to_thread(is_first, occasion, notice.began):
            return
        notice = notice.masked(self._host.masked_text)
        self._number += 1
        code = code_of(os.environ) if settings.terminal else None
        if code is not None:
            text = notification(code, notice.title, notice.text, self._number)
            self._host.to_terminal(text)
        if settings.bell:
            self._host.to_terminal(BELL)
        command = desktop_command(notice) if settings.desktop else None
        for argv in filter(None, (command, settings.command)):
            trouble = await asyncio.to_thread(run, argv, notice, os.environ)
            if trouble is not None:
                self._host.say_lasting(f"notify: {trouble}")


def _subject(session: OpenSession) -> Subject:
    facts = session.header()
    return Subject(session.ref, facts.title, facts.cwd)
