"""One look at the files around many sessions: what they share is found once for all of them."""

import threading
from collections.abc import Callable, Generator, Hashable, Mapping
from contextlib import contextmanager
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Found = TypeVar("Found")


class _Look(threading.local):
    """Findings in the look of a thread; None outside of one."""

    found: dict[Hashable, Any] | None = None
    known: Mapping[str, object] = MappingProxyType({})
    """Facts of logs that the caller knows, by path."""


_look = _Look()


@contextmanager
def one_look(
    sessions: int | None = None, known: Mapping[str, object] = MappingProxyType({})
) -> Generator[None]:
    """Let functions that are `found_once` keep their answers in the block, for this thread.

    For work on so many sessions, None for many: files that appear meanwhile may be missed. For a
    single one nothing is kept, and a block inside another one adds nothing. `known` is what the
    caller knows of logs already, by path: `known_in_look` gives it.
    """
    if _look.found is not None or sessions in (0, 1):
        yield
        return
    _look.found, _look.known = {}, known
    try:
        yield
    finally:
        _look.found, _look.known = None, MappingProxyType({})


def known_in_look(path: str) -> object:
    """Knowledge of the caller of `one_look` on a log; None outside of a look, and for any other."""
    return _look.known.get(path)


def looks_at_many() -> bool:
    """Return True inside of `one_look`: to find all that sessions share costs less than a part."""
    return _look.found is not None


def found_once(find: Callable[Given, Found]) -> Callable[Given, Found]:
    """Inside of `one_look` call a function once for the same arguments, which are hashable."""

    @wraps(find)
    def found(*args: Given.args, **named: Given.kwargs) -> Found:
        if _look.found is None:
            return find(*args, **named)
        key = (find, args, *sorted(named.items()))
        if key not in _look.found:
            _look.found[key] = find(*args, **named)
        return cast("Found", _look.found[key])

    return found
