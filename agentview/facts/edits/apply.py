"""One file through a session: each step carried out on what is known of its text."""

from collections.abc import Sequence

from msgspec.structs import replace

from agentview.domain.tool_inputs import TextEdit
from agentview.domain.tool_results import Hunk
from agentview.facts.edits.hunk_locator import Chunk, chunks_of, place_of
from agentview.facts.edits.operations import (
    Appended,
    Edited,
    Effect,
    FileStep,
    MissingFile,
    ModeChanged,
    Moved,
    ReadEffect,
    Removed,
    Uncertainty,
    UnknownEffect,
    Written,
)
from agentview.facts.edits.partial_file import (
    FileChange,
    FileVersion,
    Item,
    PartialFile,
    UnknownRange,
    alike,
    split_text,
)

# Old text to new text in lines that are known.


def replace_text(draft: PartialFile, edit: TextEdit) -> bool:
    """Replace a text in the known lines; False when it is not in them, or not only in them."""
    side = draft.new
    if not edit.old:
        return _fill_empty(side, edit.new)
    whole = side.lines() is not None
    if edit.replace_all and not whole:
        return False
    done = False
    # From the last run to the first: those before keep their place.
    for start, stop in reversed(list(side.runs())):
        old, new = edit.old, edit.new
        text = _text_of(side, start, stop)
        if "\r\n" in text and "\r" not in old:
            old, new = old.replace("\n", "\r\n"), new.replace("\n", "\r\n")
        if old not in text:
            continue
        if not whole and (done or text.count(old) > 1):
            return False
        text = text.replace(old, new, -1 if edit.replace_all else 1)
        if stop < len(side.items) and not text.endswith("\n"):
            # The last line would continue in what is not known.
            return False
        _put_text(side, start, stop, text)
        done = True
    return done


def _fill_empty(side: FileVersion, text: str) -> bool:
    if side.items:
        return False
    _put_text(side, 0, 0, text)
    return True


def _text_of(side: FileVersion, start: int, stop: int) -> str:
    """A run as text; its last line has its end, unless the file is known to end without."""
    text = "\n".join(side.known(start, stop))
    open_end = stop == len(side.items) and side.ended is False
    return text if open_end else text + "\n"


def _put_text(side: FileVersion, start: int, stop: int, text: str) -> None:
    lines, ended = split_text(text)
    at_end = stop == len(side.items)
    side.items[start:stop] = lines
    if at_end and not (ended and side.ended is None):
        side.ended = ended


# What a file was before a change, reconstructed from the change and its outcome.


def text_before(
    effect: Effect, lines: Sequence[str], ended: bool | None
) -> tuple[list[str], bool | None] | None:
    """Lines before an effect that led to `lines`, and whether the last one had an end.

    None where the effect does not show it.
    """
    if isinstance(effect, Written):
        return split_text(effect.before) if effect.before is not None else None
    if not isinstance(effect, Edited):
        return None
    if effect.numbered:
        return without_hunks(effect.hunks, lines, ended)
    if effect.before is not None and effect.after is not None:
        whole = split_text(effect.after)[0] == list(lines)
        return split_text(effect.before) if whole else None
    return None


def without_hunks(
    hunks: Sequence[Hunk], lines: Sequence[str], ended: bool | None
) -> tuple[list[str], bool | None] | None:
    """Lines before numbered hunks that led to `lines`; None where they are not in them."""
    chunks = [Chunk.of_hunk(hunk) for hunk in hunks]
    found = list(lines)
    for hunk, chunk in reversed(list(zip(hunks, chunks, strict=True))):
        start = hunk.new_start - 1 if chunk.new else hunk.new_start
        if start < 0 or found[start : start + len(chunk.new)] != list(chunk.new):
            return None
        found[start : start + len(chunk.new)] = chunk.old
        if chunk.old_ended is not None:
            ended = chunk.old_ended
    return found, ended


_NOT_THERE = "the text it replaces is not in the file as the steps before leave it"
_NOT_KNOWN = "the lines that it changes are not known as a whole"
_OVERWRITTEN = "what it overwrote is not known"
_DELETED = "the text that it deleted is not known"
_DIFFERS = "the file was not as the steps before it left it: something else had changed it"


def _recorded_lines(effect: Effect) -> frozenset[str] | None:
    """The lines that an edit added, as its hunks have them; None where it has none."""
    if not isinstance(effect, Edited) or not effect.hunks:
        return None
    lines = (line for hunk in effect.hunks for line in hunk.lines)
    return frozenset(line[1:] for line in lines if line[:1] == "+")


class Replay:
    """Known text of one file at a moment of a session.

    `existed` and `exists`: whether there was a file before the session, and is one now; None where
    it is not known.
    """

    def __init__(self, path: str, *, traced: bool = False) -> None:
        """`traced`: keep what each step made of the file, for `changes`."""
        self._trace: list[FileChange] | None = [] if traced else None
        self._before: tuple[Item, ...] = ()
        self.origin = path
        """Its path before the session."""
        self.path = path
        self.draft = PartialFile()
        self.existed: bool | None = None
        self.exists: bool | None = None
        self.changed = False
        """Whether a step has changed it, or may have."""
        self.modes: tuple[str, str] | None = None
        """Permission bits before the session and now, where a step changed them."""
        self.unsure: list[Uncertainty] = []
        """Steps that may have changed it."""
        self.remarks: list[Uncertainty] = []
        """Notes for a reader who takes the change for the work of the session."""
        self._guessed = True
        """Whether all that is known was only read, not recorded with a change."""
        self._created_by: Uncertainty | None = None
        self._changes = 0
        """How many steps changed it, or may have."""

    @property
    def unknown_origin(self) -> Uncertainty | None:
        """Return the step that wrote the file if it is unknown whether one existed before."""
        return self._created_by if self.existed is None else None

    def assume_new(self) -> None:
        """Assume that no file existed before, where that is unknown."""
        if self.existed is None and self._created_by is not None:
            self.existed = False
            self.draft.old.items.clear()

    def take(self, step: FileStep, effect: Effect) -> None:
        """Carry out a step that succeeded."""
        self._note_before()
        self._carry_out(step, effect)
        if self._trace is not None and not isinstance(effect, ReadEffect | MissingFile):
            after = tuple(self.draft.new.items)
            if isinstance(effect, Appended) and any(
                isinstance(item, UnknownRange) for item in self._before[-1:]
            ):
                # Where they stand is not known; that they were added is.
                after = (*self._before, *split_text(effect.text)[0])
            self._trace.append(FileChange(step, self._before, after, _recorded_lines(effect)))

    def changes(self) -> list[FileChange]:
        """Return the change of the file by each step, in order, with all that is known by now.

        Empty where it is not traced.
        """
        known = self.draft.as_known
        return [
            replace(change, before=tuple(known(change.before)), after=tuple(known(change.after)))
            for change in self._trace or ()
        ]

    def _note_before(self) -> None:
        if self._trace is not None:
            self._before = tuple(self.draft.new.items)

    def _carry_out(self, step: FileStep, effect: Effect) -> None:
        self._changes += not isinstance(effect, ReadEffect | MissingFile)
        match effect:
            case ReadEffect() | MissingFile():
                self._learn(step, effect)
            case Written():
                self._write(step, effect)
            case Edited():
                self._edit(step, effect)
            case Appended():
                self._append(step, effect)
            case Removed():
                self._remove(step, effect)
            case Moved():
                self.changed = True
                self._exist()
                self.path = effect.to
            case ModeChanged():
                self.changed = True
                self._exist()
                self.modes = (self.modes[0] if self.modes else effect.old, effect.new)
            case UnknownEffect():
                self._doubt(step, effect)

    def _learn(self, step: FileStep, effect: ReadEffect | MissingFile) -> None:
        if isinstance(effect, ReadEffect):
            self._see(step, effect)
        else:
            self.miss()

    def explain(self, effect: Effect) -> None:
        """Learn what was there before the only change so far from the call that it was part of.

        Where a tool has its client write the file, the client only gets the new text.
        """
        lines = self.draft.new.lines()
        if self._changes != 1 or lines is None:
            return
        if isinstance(effect, Written) and effect.created:
            if self.existed is None:
                self.existed = False
                self.draft.old.items.clear()
            return
        before = text_before(effect, lines, self.draft.new.ended)
        if before is not None and self.existed is not False and self.draft.reveal_old(*before):
            self.existed = True

    def shows(self, effect: Effect) -> bool:
        """True if the text is as an effect would leave it, so that it may have happened already."""
        if isinstance(effect, Removed):
            return self.exists is False
        if isinstance(effect, Written):
            return self.draft.new.lines() == split_text(effect.after)[0]
        if not isinstance(effect, Edited):
            return False
        chunks = [Chunk.of_hunk(hunk) for hunk in effect.hunks]
        chunks = chunks or [Chunk.of_edit(edit) for edit in effect.edits]
        known = {item.strip() for item in self.draft.new.items if isinstance(item, str)}
        # The same change may be recorded in hunks that begin and end elsewhere.
        added = {line.strip() for chunk in chunks for line in chunk.new if line not in chunk.old}
        taken = {line.strip() for chunk in chunks for line in chunk.old if line not in chunk.new}
        has_text = bool((added | taken) - {""})
        return has_text and added - {""} <= known and not (taken - added - {""}) & known

    def _exist(self) -> None:
        if self.exists is None and self.existed is None:
            self.existed = True
        self.exists = True

    def _see(self, step: FileStep, seen: ReadEffect) -> None:
        if self.exists is False:
            return
        self._exist()
        lines, ended = split_text(seen.text)
        if not seen.whole:
            self.draft.reveal_part(seen.start, lines)
            return
        known = True if ended else (False if seen.exact else None)
        if self.draft.reveal(lines, known):
            self.unsure.clear()
        elif self._is_stale(lines):
            # Only versions of what is known are believed: a tool may print a file in its own words.
            self._differ(step, lines, known)

    def _is_stale(self, lines: Sequence[str]) -> bool:
        now = self.draft.new.lines()
        return now is None or bool(self.unsure) or alike(now, lines)

    def _differ(self, step: FileStep, lines: Sequence[str], ended: bool | None) -> None:
        """Take over a text that is not the one that the steps lead to."""
        trouble = Uncertainty(step, _DIFFERS)
        if not self.unsure:
            self.remarks.append(trouble)
        self.unsure.clear()
        self.changed = True
        self.draft.start_new(lines, ended, trouble)

    def miss(self) -> None:
        if self.exists is None and self.existed is None:
            self.existed = self.exists = False
            self.draft.old.items.clear()
            self.draft.new.items.clear()

    def _expect(self, step: FileStep, before: str) -> None:
        """Take note of the whole text right before a step, which was recorded with it."""
        self._exist()
        lines, ended = split_text(before)
        if self.draft.reveal(lines, ended):
            self.unsure.clear()
        elif not self.changed and self._guessed and not self.draft.is_like(lines):
            # What was read was no text of a file, but what a tool made of it.
            self.draft = PartialFile()
            self.draft.reveal(lines, ended)
        else:
            self._differ(step, lines, ended)
        self._note_before()

    def _write(self, step: FileStep, written: Written) -> None:
        cause = Uncertainty(step, _OVERWRITTEN)
        if written.before is not None and not written.created:
            self._expect(step, written.before)
        elif written.created and self.exists is None and self.existed is None:
            self.miss()
        elif written.created is False:
            self._exist()
        elif self.exists is None and self.existed is None:
            self._created_by = Uncertainty(
                step, "whether there was a file before, and which, is not known"
            )
        self._note_before()
        lines, ended = split_text(written.after)
        self.draft.start_new(lines, ended, cause)
        self._done()

    def _done(self) -> None:
        self.unsure.clear()
        self.changed = self.exists = True
        self._guessed = False

    def _edit(self, step: FileStep, edited: Edited) -> None:
        self._exist()
        if edited.before is not None and (edited.whole or self._is_whole(edited)):
            self._expect(step, edited.before)
            if edited.after is not None:
                lines, ended = split_text(edited.after)
                lines = self.draft.as_it_ends(lines, [edited.before], ended=ended)
                self.draft.start_new(lines, ended, Uncertainty(step, _OVERWRITTEN))
                self._done()
                return
        if edited.edits and not edited.by_person and self._replace_all(edited.edits):
            self._learn_end(Chunk.of_hunk(edited.hunks[-1]) if edited.hunks else None)
            self.changed, self._guessed = True, False
        elif edited.hunks and self._patch(edited.hunks, numbered=edited.numbered):
            self.changed, self._guessed = True, False
        elif edited.edits and not edited.by_person and self._replace_parts(edited.edits):
            self.changed = True
        else:
            whole = self.draft.new.lines() is not None
            self.draft.lose(Uncertainty(step, _NOT_THERE if whole else _NOT_KNOWN))
            self.changed = True

    def _learn_end(self, end: Chunk | None) -> None:
        """Take note of what the last hunk says about the end of the last line."""
        draft = self.draft
        if end is None or end.old_ended is None:
            return
        if draft.old.ended is None and draft.new.ended is None:
            draft.old.ended = end.old_ended
        draft.new.ended = end.new_ended

    def _is_whole(self, edited: Edited) -> bool:
        """True if what was recorded as the text before is the whole file, not a part of it."""
        before = edited.before or ""
        lines, _ = split_text(before)
        if edited.numbered and edited.hunks:
            return all(_stands_at(hunk, lines) for hunk in edited.hunks)
        now = self.draft.new.lines()
        if now is not None:
            return now == lines
        return edited.after is not None and not edited.edits and not edited.hunks

    def _replace_all(self, edits: Sequence[TextEdit]) -> bool:
        """Replace texts that are known; nothing is done when one of them is not."""
        saved = list(self.draft.new.items), self.draft.new.ended
        for edit in edits:
            if not replace_text(self.draft, edit):
                self.draft.new.items, self.draft.new.ended = saved
                return False
        return True

    def _replace_parts(self, edits: Sequence[TextEdit]) -> bool:
        """Replace whole lines out of texts whose first and last line may be parts of lines."""
        if any(edit.replace_all for edit in edits) or self.draft.new.lines() is not None:
            return False
        chunks = [chunks_of(edit) for edit in edits]
        known = [chunk for chunk in chunks if chunk is not None]
        return len(known) == len(chunks) and self._put_chunks(known)

    def _patch(self, hunks: Sequence[Hunk], *, numbered: bool) -> bool:
        if numbered:
            return self._patch_numbered(hunks)
        return self._put_chunks([Chunk.of_hunk(hunk) for hunk in hunks])

    def _patch_numbered(self, hunks: Sequence[Hunk]) -> bool:
        """Carry out hunks whose lines are counted in the text before all of them."""
        draft = self.draft
        chunks = [_as_it_ends(draft, Chunk.of_hunk(hunk)) for hunk in hunks]
        starts = [
            hunk.old_start if chunk.old else hunk.old_start + 1
            for hunk, chunk in zip(hunks, chunks, strict=True)
        ]
        for start, chunk in zip(starts, chunks, strict=True):
            if chunk.old and not draft.reveal_part(start, chunk.old):
                if self.unsure and draft.overwrite(start, chunk.old):
                    # What a command changed shows from what the next change was made in.
                    continue
                return self._put_chunks(chunks)
        self._note_before()
        for start, chunk in reversed(list(zip(starts, chunks, strict=True))):
            index = _index_of_line(draft, start)
            if index is None:
                return False
            self._swap(index, chunk)
        return True

    def _put_chunks(self, chunks: Sequence[Chunk]) -> bool:
        """Carry out hunks without line numbers, each behind the one before it."""
        saved = list(self.draft.new.items), self.draft.new.ended
        after = 0
        for chunk in chunks:
            index = place_of(self.draft, chunk, after)
            if index is None:
                if self.draft.new.lines() is not None:
                    self.draft.new.items, self.draft.new.ended = saved
                return False
            self._swap(index, chunk)
            after = index + len(chunk.new)
        if self.draft.new.ended is False:
            # Who applies such hunks writes every line with its end.
            self.draft.new.ended = True
        return True

    def _swap(self, index: int, chunk: Chunk) -> None:
        draft = self.draft
        behind = index + len(chunk.old)
        after = draft.new.items[behind] if behind == len(draft.new.items) - 1 else None
        if chunk.last and isinstance(after, UnknownRange):
            draft.resolve(after, ())
        at_end = index + len(chunk.old) == len(draft.new.items)
        draft.replace(index, len(chunk.old), chunk.new)
        if at_end:
            self._learn_end(chunk)

    def _append(self, step: FileStep, appended: Appended) -> None:
        new = self.draft.new
        if self.exists is False:
            self._write(step, Written(appended.text, created=True))
            return
        lines, ended = split_text(appended.text)
        last = new.items[-1] if new.items else None
        if isinstance(last, UnknownRange) or not lines:
            self._doubt(step, UnknownEffect("the end of the file that it adds to is not known"))
            return
        if isinstance(last, str) and new.ended is False:
            lines[0] = last + lines[0]
            new.items.pop()
        elif new.ended is None and self.draft.old.ended is None:
            self.draft.old.ended = True
        new.items += lines
        new.ended = ended
        self._exist()
        self.changed = True

    def _remove(self, step: FileStep, removed: Removed) -> None:
        if self.exists is False:
            return
        self._exist()
        if removed.before is not None:
            self._expect(step, removed.before)
        self.draft.start_new((), True, Uncertainty(step, _DELETED))
        self.changed, self.exists = True, False
        self.unsure.clear()

    def _doubt(self, step: FileStep, unclear: UnknownEffect) -> None:
        trouble = Uncertainty(step, unclear.reason)
        self.changed = True
        if unclear.certain:
            self._exist()
            self.draft.lose(trouble)
        else:
            self.unsure.append(trouble)


def _as_it_ends(draft: PartialFile, chunk: Chunk) -> Chunk:
    """A chunk whose lines were recorded without the carriage returns that the file has."""
    old = draft.as_it_ends(chunk.old, chunk.new, ended=chunk.old_ended)
    new = draft.as_it_ends(chunk.new, chunk.old, ended=chunk.new_ended)
    return replace(chunk, old=tuple(old), new=tuple(new))


def _stands_at(hunk: Hunk, lines: Sequence[str]) -> bool:
    chunk = Chunk.of_hunk(hunk)
    start = max(0, hunk.old_start - 1)
    there = list(lines[start : start + len(chunk.old)])
    return there == list(chunk.old) or [line.strip() for line in there] == [
        line.strip() for line in chunk.old
    ]


def _index_of_line(draft: PartialFile, line: int) -> int | None:
    """Index of the item that a line of the text as it is now begins at; its end for one behind."""
    at = 1
    for index, item in enumerate(draft.new.items):
        if at == line:
            return index
        count = 1 if isinstance(item, str) else item.count
        if count is None or at + count > line:
            return None
        at += count
    return len(draft.new.items) if at == line else None
