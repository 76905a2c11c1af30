"""The filter line of the library: words, and fields of a session."""

from collections.abc import Callable, Sequence

from agentview.domain.session import SessionInfo
from agentview.timeline.filters import split_words


def library_test(text: str) -> Callable[[SessionInfo], bool] | None:
    """What a filter line of the library asks for; None for an empty line.

    Words are looked for in title, project, branch, model and id; `provider: project: branch:
    model: state:` look in one of them. Case never counts; a `-` in front excludes.
    """
    tests = [_word_test(word.lower()) for word in split_words(text) if word not in ("-", ":")]
    if not tests:
        return None
    return lambda info: all(test(info) for test in tests)


def _word_test(word: str) -> Callable[[SessionInfo], bool]:
    excluded = len(word) > 1 and word.startswith("-")
    name, colon, value = word.removeprefix("-").partition(":")
    look = _FIELDS.get(name) if colon else None
    if look is None:
        wanted = word.removeprefix("-")
        return lambda info: (wanted in " ".join(filter(None, _texts(info))).lower()) != excluded
    return lambda info: (value in (look(info) or "").lower()) != excluded


def _texts(info: SessionInfo) -> Sequence[str | None]:
    ref = info.ref
    return (info.title, info.project, info.branch, info.model, ref.provider, ref.session_id)


_FIELDS: dict[str, Callable[[SessionInfo], str | None]] = {
    "provider": lambda info: info.ref.provider,
    "project": lambda info: info.project,
    "branch": lambda info: info.branch,
    "model": lambda info: info.model,
    "state": lambda info: info.state.value,
}
