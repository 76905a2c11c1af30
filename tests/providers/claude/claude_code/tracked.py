"""JSON values that remember which of their keys were read."""

from collections.abc import Iterator
from typing import Any, cast

Path = tuple[str, ...]


class TrackedDict(dict[str, Any]):
    """An object that notes in `reads` the place of each key that is looked at and there."""

    def __init__(self, place: Path, reads: set[Path]) -> None:
        super().__init__()
        self.place = place
        self.reads = reads

    def _note(self, key: object) -> None:
        if super().__contains__(key):
            self.reads.add((*self.place, str(key)))

    def get(self, key: str, default: Any = None) -> Any:
        self._note(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Any:
        self._note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def items(self) -> Any:
        for key in list(self):
            self._note(key)
        return super().items()

    def values(self) -> Any:
        for key in list(self):
            self._note(key)
        return super().values()


def tracked(value: Any, reads: set[Path], place: Path = ()) -> Any:
    """The same value with every object tracked; places in lists are a star."""
    if isinstance(value, dict):
        made = TrackedDict(place, reads)
        for key, item in cast("dict[str, Any]", value).items():
            made[key] = tracked(item, reads, (*place, key))
        return made
    if isinstance(value, list):
        return [tracked(item, reads, (*place, "*")) for item in cast("list[Any]", value)]
    return value


def places(value: Any, place: Path = ()) -> Iterator[Path]:
    """Places of all keys in a value."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield (*place, key)
            yield from places(item, (*place, key))
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from places(item, (*place, "*"))
