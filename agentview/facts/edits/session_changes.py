"""The files of a session and of its agents: the steps on them in order, kept up to date."""

import posixpath
import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.session import StreamKind
from agentview.facts.edits.apply import Replay
from agentview.facts.edits.call_operations import FILE_KINDS, TOUCHING, CallOutcome, outcomes_of
from agentview.facts.edits.call_order import Call, LogCalls, in_turn
from agentview.facts.edits.net_diff import ChangeMark, FileNet, net_of
from agentview.facts.edits.operations import (
    Effect,
    FileAction,
    FileStep,
    MissingFile,
    Moved,
    PathMove,
    ReadEffect,
    Removed,
    Uncertainty,
    UnknownEffect,
    Written,
    line_counts,
)
from agentview.facts.edits.path_identity import absolute, common_root, inside
from agentview.facts.edits.shell import UNNAMED
from agentview.timeline.rows.session_store import SessionStore

_REWOUND = "the conversation went back to before it; whether the file did too is not known"
_MOVED_UNKNOWN = "a file whose text is not known was moved to its place"
_OVER_WHAT = "whether there was a file before where it was moved to is not known"
_PATTERN = re.compile(r"[*?\[]")
_DIRECTORY = re.compile(r"(?:\A|/)\.{0,2}\Z")
"""The end of a path that can only be that of a directory."""
_PATHS = 400
"""Calls whose paths are looked at to guess the directory of a session that names none."""


@dataclass(slots=True)
class TouchedFile:
    """A file, the steps on it in order, and what is known of its text once one has changed it."""

    path: str
    """Where it is now."""
    steps: list[FileStep] = field(default_factory=lambda: list[FileStep]([]))
    replay: Replay | None = None
    reads: list[tuple[int, int, int]] = field(
        default_factory=lambda: list[tuple[int, int, int]]([])
    )
    """Reads before it was changed: number of the step, log, row."""
    revision: int = 0
    """Rises with each step."""
    net: tuple[int, FileNet] | None = None
    """Result of the steps, and its revision."""

    @property
    def changed(self) -> bool:
        """True if a step changed it, or may have."""
        return self.replay is not None and self.replay.changed


class SessionChanges:
    """Steps on files, gone through once; `working` continues with what was written since.

    With `assume_new`, a file that was written with an unknown origin counts as new. With `traced`,
    what each step made of a file is kept. With `after`, only calls that ended after that moment,
    epoch seconds, count, and those whose end has no time.
    """

    def __init__(
        self,
        store: SessionStore,
        *,
        assume_new: bool = False,
        traced: bool = False,
        after: float | None = None,
    ) -> None:
        self._store = store
        self._after = float("-inf") if after is None else after
        self._traced = traced
        self._assume_new = assume_new
        self.files: dict[str, TouchedFile] = {}
        """By their paths now, in the order in which they were first touched."""
        self.unnamed: list[FileStep] = []
        """Commands that may have changed files without naming them, in order."""
        self.moves: list[PathMove] = []
        """Paths that were moved, or may have been, in order."""
        self.listing = 0
        """Rises when files come, move, or are changed for the first time."""
        self.root: str | None = None
        """The directory that paths in a patch count from; None while none is known."""
        self.root_guessed = False
        """Whether the log does not name the directory, so that it was guessed from paths."""
        self._logs: list[LogCalls] = []
        self._left: set[str] = set()
        """Paths from which files were moved away."""
        self._under_way: Iterator[None] | None = None

    def working(self) -> Iterator[None]:
        """Go through what has come since; the work between two steps is that of a few calls.

        Who gives up in between leaves the rest to who asks next. All begins again when rows were
        put in front of those that are known, or the log was replaced.
        """
        if any(log.is_stale() for log in self._logs):
            self._begin()
        if self._under_way is None:
            self._under_way = self._going_on()
        for _ in self._under_way:
            yield
        self._under_way = None

    def finish(self) -> None:
        for _ in self.working():
            pass

    def _going_on(self) -> Iterator[None]:
        self._open()
        placed = bool(self.files) and self.root is None
        yield from self._find_root()
        if placed and self.root is not None:
            # Where paths count from has come to be known behind some of them.
            self._forget()
            self._open()
        for call in in_turn(self._logs):
            if call is not None and not float("-inf") < call.time <= self._after:
                yield from self._take(call)
            yield

    def _begin(self) -> None:
        self._forget()
        self._under_way = None
        self.root = None
        self.root_guessed = False

    def _forget(self) -> None:
        self.files.clear()
        self.unnamed.clear()
        self.moves.clear()
        self._logs.clear()
        self._left.clear()
        self.listing += 1

    def _open(self) -> None:
        """Add logs of agents that were not there before; skip what another log repeats."""
        known = [log.store for log in self._logs]
        for store in (self._store, *_started_by(self._store)):
            if not any(store is other for other in known):
                log = LogCalls(len(self._logs), store, self._is_changed)
                self._logs.append(log)
                known.append(store)

    def _find_root(self) -> Iterator[None]:
        if self.root is not None:
            return
        stated = self._store.summary.text("cwd")
        if stated is not None:
            first = next((row for row in self._store.of_kinds(TOUCHING)), None)
            if first is not None:
                stated = _stated(self._store.joined_activity(first)) or stated
            self.root = absolute(stated, None) or None
            return
        paths: list[str] = []
        for found in _paths(self._store):
            paths += found
            yield
        self.root = common_root(paths)
        self.root_guessed = self.root is not None

    def _is_changed(self, path: str) -> bool:
        file = self.files.get(absolute(path, None))
        return file is not None and file.replay is not None

    def _take(self, call: Call) -> Iterator[None]:
        store = self._logs[call.log].store
        time = call.time if call.time != float("-inf") else None
        outcome = call.outcome
        if outcome is None and self._is_changed(call.read.path):
            # Changed by a call that was still held back when this one was looked at.
            outcome = outcomes_of(store.joined_activity(call.row))
        if outcome is None:
            read = call.read
            seen = ReadEffect("", whole=False)
            outcome = (
                CallOutcome(read.path, FileAction.READ, seen, start=read.start, limit=read.limit),
            )
        for one in outcome:
            placed = _placed(one, store.summary.text("cwd"))
            for meant in self._meant(call, time, placed):
                yield from self._step(call, time, meant)

    def _meant(self, call: Call, time: float | None, outcome: CallOutcome) -> Iterator[CallOutcome]:
        """Return the possible effects on each file that a directory or a pattern stands for."""
        if not isinstance(outcome.effect, UnknownEffect) or outcome.effect.certain:
            yield outcome
            return
        if outcome.path == UNNAMED:
            self._not_named(call, time, outcome)
            return
        path = absolute(outcome.path, outcome.cwd or self.root)
        if outcome.effect.moved_to is not None:
            to = absolute(outcome.effect.moved_to, outcome.cwd or self.root)
            inside_it = posixpath.join(to, posixpath.basename(path))
            self.moves += [PathMove(path, each, time, certain=False) for each in (to, inside_it)]
        pattern = _PATTERN.search(outcome.path) is not None
        meant = [
            file
            for file in self.files.values()
            if file.path.startswith(f"{path}/") or (pattern and fnmatchcase(file.path, path))
        ]
        yield from (replace(outcome, path=file.path) for file in meant if file.changed)
        directory = meant or pattern or _DIRECTORY.search(outcome.path) is not None
        if directory or path in ("", self.root):
            self._not_named(call, time, outcome)
        else:
            yield outcome

    def _not_named(self, call: Call, time: float | None, outcome: CallOutcome) -> None:
        stream = self._logs[call.log].store.session.stream
        last = self.unnamed[-1] if self.unnamed else None
        if last is None or (last.row, last.stream) != (call.row, stream):
            number = len(self.unnamed) + 1
            step = FileStep(
                number, outcome.act, UNNAMED, call.row, stream, time, words=outcome.words
            )
            self.unnamed.append(step)

    def _step(self, call: Call, time: float | None, outcome: CallOutcome) -> Iterator[None]:
        path = absolute(outcome.path, outcome.cwd or self.root)
        if not path or (call.nested and path in self._left):
            return
        effect = outcome.effect
        file = self._file(path)
        store = self._logs[call.log].store
        move_to = None
        if isinstance(effect, Moved):
            move_to = absolute(effect.to, outcome.cwd or self.root)
            effect = Moved(move_to)
            self.moves.append(PathMove(path, move_to, time, certain=True))
        if isinstance(effect, MissingFile):
            if file.replay is None:
                file.reads.append((0, call.log, call.row))
            return
        added, removed = line_counts(effect)
        step = FileStep(
            number=len(file.steps) + 1,
            act=outcome.act,
            path=path,
            row=call.row,
            stream=store.session.stream,
            time=time,
            move_to=move_to,
            start=outcome.start,
            limit=outcome.limit,
            words=outcome.words,
            added=added,
            removed=removed,
        )
        file.steps.append(step)
        file.revision += 1
        if file.replay is None and isinstance(effect, ReadEffect):
            file.reads.append((step.number, call.log, call.row))
        elif effect is not None:
            yield from self._carry_out(file, step, effect, call)
            # What was reported in between was incomplete.
            file.revision += 1

    def _carry_out(
        self, file: TouchedFile, step: FileStep, effect: Effect, call: Call
    ) -> Iterator[None]:
        replay = yield from self._replay(file)
        if call.nested and replay.shows(effect):
            replay.explain(effect)
            return
        if isinstance(effect, Moved):
            yield from self._move(file, step, effect, replay)
            return
        replay.take(step, effect)
        if call.rewound and not isinstance(effect, ReadEffect):
            replay.unsure.append(Uncertainty(step, _REWOUND))
        if isinstance(effect, Removed):
            yield from self._remove_below(file.path, step)

    def _file(self, path: str) -> TouchedFile:
        file = self.files.get(path)
        if file is None:
            file = self.files[path] = TouchedFile(path)
            self.listing += 1
        return file

    def _replay(self, file: TouchedFile) -> Generator[None, None, Replay]:
        """Return the replayed text of a file, with the reads of it before."""
        if file.replay is not None:
            return file.replay
        replay = Replay(file.path, traced=self._traced)
        for number, log, row in file.reads:
            activity = self._logs[log].store.joined_activity(row)
            yield
            for outcome in outcomes_of(activity):
                same = absolute(outcome.path, outcome.cwd or self.root) == file.path
                if not same:
                    continue
                if isinstance(outcome.effect, MissingFile):
                    replay.miss()
                elif isinstance(outcome.effect, ReadEffect):
                    replay.take(file.steps[number - 1], outcome.effect)
        file.reads.clear()
        file.replay = replay
        self.listing += 1
        return replay

    def _move(
        self, file: TouchedFile, step: FileStep, moved: Moved, replay: Replay
    ) -> Iterator[None]:
        """Carry a file over to its new path; one that was there before is overwritten."""
        target = self.files.get(moved.to)
        unknown = bool(replay.unsure) or any(gap.cause for gap in replay.draft.new.gaps())
        if unknown or (target is not None and target is not file):
            target = self._file(moved.to)
            there = yield from self._replay(target)
            if unknown or there.exists is not False:
                target.steps.append(step)
                target.revision += 1
                there.take(step, _as_moved(replay))
                replay.take(step, Removed())
                return
        if target is None and step.words:
            replay.remarks.append(Uncertainty(step, _OVER_WHAT))
        replay.take(step, moved)
        self.files.pop(file.path, None)
        self._left.add(file.path)
        self.listing += 1
        file.path = moved.to
        self.files[moved.to] = file

    def _remove_below(self, path: str, step: FileStep) -> Iterator[None]:
        for other in list(self.files.values()):
            if other.path.startswith(path + "/"):
                other.steps.append(step)
                other.revision += 1
                replay = yield from self._replay(other)
                replay.take(step, Removed())
                other.revision += 1

    def net(self, file: TouchedFile) -> FileNet:
        """Return the net result of the steps on a file. Made once for each state of the file."""
        if file.net is not None and file.net[0] == file.revision:
            return file.net[1]
        if file.replay is None or not file.changed:
            net = FileNet(file.path, file.path, ChangeMark.READ)
        else:
            changing = [step for step in file.steps if step.act is not FileAction.READ]
            if self._assume_new:
                file.replay.assume_new()
            net = net_of(file.replay, (changing or file.steps)[-1])
        file.net = (file.revision, net)
        return net

    def listed(self) -> list[TouchedFile]:
        """Files that were touched, those first that a step changed, each group by path."""
        files = [file for file in self.files.values() if file.steps]
        return sorted(files, key=lambda file: (not file.changed, file.path))

    def place(self, path: str) -> str | None:
        """A path as it is named in a patch; None for a file that is not in the directory."""
        return inside(path, self.root)


def _started_by(session: SessionStore) -> Iterator[SessionStore]:
    """Return logs of agents that a session started, and of their agents; embedded logs left out."""
    logs = {stream: log for stream, log in session.children.items() if not log.session.shared}
    if session.session.stream.kind is StreamKind.MAIN:
        yield from logs.values()
        return
    # Of an agent the others in its session are known too.
    asked = [session]
    while asked:
        store = asked.pop()
        for stream in [stream for stream in logs if store.child_call(stream) is not None]:
            log = logs.pop(stream)
            asked.append(log)
            yield log


def _placed(outcome: CallOutcome, cwd: str | None) -> CallOutcome:
    """The same with the directory of its session, where it has none of its own."""
    if outcome.cwd is not None or cwd is None:
        return outcome
    return CallOutcome(
        outcome.path, outcome.act, outcome.effect, cwd, outcome.start, outcome.limit, outcome.words
    )


def _as_moved(replay: Replay) -> Effect:
    """Return the net result for the file at a path that the text of another one is moved to."""
    new = replay.draft.new
    lines = new.lines()
    if lines is None or replay.unsure:
        return UnknownEffect(_MOVED_UNKNOWN)
    return Written("\n".join(lines) + ("\n" if lines and new.ended is not False else ""))


def _stated(activity: Activity) -> str | None:
    return next(
        (event.facts.cwd for event in activity.events if event.facts and event.facts.cwd), None
    )


def _paths(store: SessionStore) -> Iterator[list[str]]:
    for row in store.of_kinds(FILE_KINDS)[:_PATHS]:
        yield [outcome.path for outcome in outcomes_of(store.joined_activity(row))]
