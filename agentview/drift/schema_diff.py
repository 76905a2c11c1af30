"""Differences of two shapes, each with a path that a person can look for."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from agentview.domain.value import Value
from agentview.drift.schema_inference import NOTHING, Field, Members, Shape, merge, merge_all
from agentview.drift.schema_json import in_words

_SOMETIMES = "not always"


class Difference(StrEnum):
    """How a part of a structure differs from what was known."""

    NEW = "new"
    """It was not there before."""
    GONE = "gone"
    """It was always there, and is not any more."""
    CHANGED = "changed"
    """It is of a type that it was not of before."""
    UNSEEN = "unseen"
    """Less of what may be was seen: an optional key or one of several types did not occur."""


class Change(Value):
    """One difference at a path such as `message.content[tool_use].input`; types in few words.

    `shape` is that of what is new or gone.
    """

    path: str
    difference: Difference
    before: str | None = None
    after: str | None = None
    shape: Shape = NOTHING

    @property
    def matters(self) -> bool:
        """True if the structure itself is another: what merely did not occur says little."""
        return self.difference is not Difference.UNSEEN

    def __str__(self) -> str:
        """One line: a sign, the path, and the types."""
        if self.difference is Difference.NEW:
            return f"+ {self.path}: {self.after}"
        if self.difference is Difference.GONE:
            return f"- {self.path}: {self.before}"
        if self.difference is Difference.UNSEEN:
            return f"  {self.path}: {self.before} did {self.after or 'not'} occur"
        return f"~ {self.path}: {self.before} → {self.after}"


def differences(before: Shape, after: Shape, path: str = "") -> list[Change]:
    """Return the differences, in the order of the paths; nothing when the shapes are equal."""
    return sorted(_changes(before, after, path), key=lambda change: change.path)


def _changes(before: Shape, after: Shape, path: str) -> Iterator[Change]:
    if before == after:
        return
    known, now = _types(before), _types(after)
    place = path or "(itself)"
    if now - known and before != NOTHING:
        yield Change(place, Difference.CHANGED, in_words(before), in_words(after))
    elif known - now and after != NOTHING:
        words = " | ".join(sorted(known - now))
        yield Change(place, Difference.UNSEEN, words)
    if before.members is not None and after.members is not None:
        yield from _member_changes(before.members, after.members, path)
    if before.items is not None and after.items is not None:
        yield from _item_changes(before.items, after.items, path)


def _types(shape: Shape) -> set[str]:
    types = set(shape.scalars)
    if shape.members is not None:
        types.add("object")
    if shape.items is not None:
        types.add("list")
    return types


def _item_changes(before: Shape, after: Shape, path: str) -> Iterator[Change]:
    if before == after:
        return
    if before == NOTHING:
        yield Change(f"{path}[]", Difference.NEW, after=in_words(after), shape=after)
        return
    untagged = (Shape(s.scalars, s.members, s.items) for s in (before, after))
    plain_before, plain_after = untagged
    if plain_before == NOTHING and plain_after != NOTHING:
        yield Change(f"{path}[]", Difference.CHANGED, in_words(before), in_words(after))
    else:
        yield from _changes(plain_before, plain_after, f"{path}[]")
    for tag in sorted(before.tagged.keys() | after.tagged.keys()):
        yield from _tag_changes(before.tagged.get(tag), after.tagged.get(tag), f"{path}[{tag}]")


def _tag_changes(before: Members | None, after: Members | None, path: str) -> Iterator[Change]:
    if before is None and after is not None:
        shape = Shape(members=after)
        yield Change(path, Difference.NEW, after=_keys_of(after), shape=shape)
    elif after is None:
        yield Change(path, Difference.UNSEEN, "items of this type")
    elif before is not None:
        yield from _member_changes(before, after, path)


def _keys_of(members: Members) -> str:
    return f"object {{{', '.join(sorted(members.fields))}}}"


def _member_changes(before: Members, after: Members, path: str) -> Iterator[Change]:
    base = f"{path}." if path else ""
    for key in sorted(before.fields.keys() | after.fields.keys()):
        was, now = before.fields.get(key), after.fields.get(key)
        if was is not None and now is not None:
            yield from _changes(was.shape, now.shape, f"{base}{key}")
            if now.optional and not was.optional:
                yield Change(f"{base}{key}", Difference.UNSEEN, in_words(was.shape), _SOMETIMES)
        elif was is not None:
            yield from _lost(was, _map_of(after), f"{base}{key}")
        elif now is not None:
            yield from _gained(now, _map_of(before), f"{base}{key}")
    if after.rest is not None:
        yield from _map_changes(before, after.rest, f"{base}*")


def _map_of(members: Members) -> Shape | None:
    return members.rest if not members.fields else None


def _lost(was: Field, rest: Shape | None, path: str) -> Iterator[Change]:
    if rest is not None and merge(rest, was.shape) == rest:
        return
    if was.optional:
        yield Change(path, Difference.UNSEEN, in_words(was.shape), shape=was.shape)
    else:
        yield Change(path, Difference.GONE, before=in_words(was.shape), shape=was.shape)


def _gained(now: Field, rest: Shape | None, path: str) -> Iterator[Change]:
    if rest is not None:
        yield from _changes(rest, now.shape, path)
    else:
        yield Change(path, Difference.NEW, after=in_words(now.shape), shape=now.shape)


def _map_changes(before: Members, rest: Shape, path: str) -> Iterator[Change]:
    if before.rest is not None:
        yield from _changes(before.rest, rest, path)
        return
    # Keys that are names there and data here are reported only if their shape differs.
    known = merge_all(*(field.shape for field in before.fields.values()))
    if known == NOTHING:
        yield Change(path, Difference.NEW, after=in_words(rest), shape=rest)
    elif merge(known, rest) != known:
        yield from _changes(known, rest, path)


def moved(changes: Sequence[Change]) -> Mapping[str, str]:
    """Paths of what went, and where something of the same name, or of the same shape, came."""
    new = [change for change in changes if change.difference is Difference.NEW]
    found: dict[str, str] = {}
    for gone in changes:
        if gone.difference is not Difference.GONE:
            continue
        name = gone.path.rpartition(".")[2]
        same = [each for each in new if each.path.rpartition(".")[2] == name]
        same = same or [
            each
            for each in new
            if _parent(each.path) == _parent(gone.path) and each.shape == gone.shape
        ]
        if len(same) == 1:
            found[gone.path] = same[0].path
    return found


def _parent(path: str) -> str:
    return path.rpartition(".")[0]
