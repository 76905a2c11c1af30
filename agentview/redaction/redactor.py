"""Values without secrets, names of users and e-mail addresses, cut where they are long.

What stays is the structure: every key that is not a secret, every type, the beginning of every
text.
"""

import getpass
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from agentview.providers import provider_names
from agentview.redaction.forms import Span, merged
from agentview.redaction.names import is_id_name, is_secret_name
from agentview.redaction.readings import uncolored
from agentview.redaction.secrets import find_quoted, find_secrets, find_tokens
from agentview.redaction.values import secret_keys, with_leaves
from agentview.redaction.wrapped import wrapped

# Words that look made by chance, as tokens do, whatever vendor they are of.
#
# What is spelled in hexadecimal may as well be a hash, and is none of them: only its name shows.

_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9](?:[A-Za-z0-9_-]{18,4094})[A-Za-z0-9_-]=*")
_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/]{40,4096}(?![A-Za-z0-9+/_-])=*")
"""Base64, whose strokes may also be those of a path."""

_PART = re.compile(r"[a-z0-9]{32,}|[A-Z0-9]{32,}")
_HEX = re.compile(r"[0-9a-fA-F_-]+")
_PREFIXED = re.compile(r"[a-z][a-z0-9]{1,9}(?:_[a-z0-9]{1,5})?_[0-9a-f]{32,}")
"""How many vendors write a token in hexadecimal."""
_CHANGE = re.compile(r"(?<=[a-z])[A-Z0-9]|(?<=[A-Z])[a-z0-9]|(?<=[0-9])[A-Za-z]")
"""Where letters of one case or digits follow what they are not: names change at their words."""

_OF_CHANCE = 0.4
"""Changes by characters; 0.62 for chance, up to 0.33 for long names in camel case."""
_OF_CHANCE_ENCODED = 0.45
_OF_CHANCE_FOLDED = 0.25
"""The same for one case with digits, which chance has 0.4 of."""

_DATA = re.compile(
    r"(?:;base64,|(?<![A-Za-z0-9+/_-])(?=iVBORw0KGgo|/9j/|R0lGOD|UklGR|JVBERi0|PHN2Zy))"
    r"[A-Za-z0-9+/_=-]+|[A-Za-z0-9+/_-]{4097,}"
)
"""Images, documents and other data in base64."""
_NAMED_HASH = re.compile(r"sha(?:1|224|256|384|512)[-:=]", re.IGNORECASE)
_LONGEST_NAME = 7


def random_spans(text: str, known: Container[str]) -> Iterator[tuple[int, int]]:
    """Start and end of words that look random; those that are known to be ids are none."""
    for start, end in _without_data(text):
        for pattern, least in ((_WORD, _OF_CHANCE), (_ENCODED, _OF_CHANCE_ENCODED)):
            for match in pattern.finditer(text, start, end):
                if _is_random(match[0], least) and match[0] not in known:
                    named = max(0, match.start() - _LONGEST_NAME), match.start() + _LONGEST_NAME
                    if _NAMED_HASH.search(text, *named) is None:
                        yield match.span()


def _without_data(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _DATA.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


def _is_random(word: str, least: float) -> bool:
    if word.islower() or word.isupper():
        return _PREFIXED.fullmatch(word) is not None or any(
            _is_folded(part[0]) for part in _PART.finditer(word)
        )
    if _HEX.fullmatch(word) is not None or not re.search(r"\d", word):
        return False
    if len(re.findall("[A-Z]", word)) < 2 or len(re.findall("[a-z]", word)) < 2:
        return False
    return len(_CHANGE.findall(word)) >= least * len(word)


def _is_folded(part: str) -> bool:
    return _HEX.fullmatch(part) is None and len(_CHANGE.findall(part)) >= _OF_CHANCE_FOLDED * len(
        part
    )


MARK = "*redacted*"
USER = "user"
EMAIL = "user@example.com"

_MAX_TEXT = 200_000
"""Characters of a text that are looked at; what lies behind is cut away first."""

_SHORT = 64
_REMEMBERED = 16_384
"""Short texts of which the result is kept."""

_REMEMBERED_IDS = 65_536
_ID = re.compile(r"[\w.:|/+=\n-]{8,256}")
_PART_OF_ID = re.compile(r"[A-Za-z0-9_-]{8,}")
_JSON_DEPTH = 8
_MAX_DEPTH = 100
_SECRET_DIGITS = 1000
"""A number from which on it may be a secret, where its key says so."""

_LEARNED = re.compile(
    r"(?:/home/|/Users/|[A-Za-z]:(?:\\{1,8}|/)Users(?:\\{1,8}|/))([A-Za-z][\w.-]*)"
)
_IN_PATH = re.compile(
    r"((?<![\w.])\\{0,8}/home\\{0,8}/|\\{0,8}/Users\\{0,8}/|[A-Za-z]:\\{1,8}Users\\{1,8})"
    r"(?!Shared\b)[^/\\\s\"':;,)<>]+"
)
_IN_FOLDER = re.compile(r"((?<![A-Za-z0-9])-(?:home|Users)-)[^/\\\s\"':;,)<>-]+")
"""A path as the name of a folder, its slashes written as hyphens."""
_EMAIL = re.compile(r"(?<![\w.+-])(?!git@)[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}(?![\w-])")
_COMMON = frozenset(
    {
        "root", "user", "users", "home", "dev", "test", "tests", "admin", "build", "runner", "node",
        "app", "src", "work", "repo", "code", "main", "data", "bin", "lib", "var", "tmp", "local",
        "shared", "public", "ubuntu", "vscode", "me", "git", "www", "ci", "python", "project",
        "agent", "assistant", "system", "tool", "text", "message", "model", "developer", "read",
        "write", "edit", "bash", "shell", "task", "search", "result", "error", "content", "input",
        "output", "request", "response", "session", "log", "stream", "json", "string", "object",
        *(part for name in provider_names() for part in name.split("_")),
    }
)  # fmt: skip
"""Names of users that are words, above all of formats: they are replaced in paths alone."""

_SHORTEST_NAME = 3


class Redactor:
    """Takes out of values what is nobody else's business; learns names of users from paths."""

    def __init__(self, *, home: Path | None = None, names: Iterable[str] = ()) -> None:
        named = home is not None and len(home.parts) > 1 and home.name.lower() not in _COMMON
        self._home = re.compile(rf"(?<![\w.-]){re.escape(str(home))}(?![\w.-])") if named else None
        self._names: set[str] = set()
        self._ids: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        # Keys, types and names come again and again.
        self._seen: dict[str, str] = {}
        for name in names:
            self._add(name)

    @classmethod
    def of_this_machine(cls) -> "Redactor":
        """One that knows who runs it."""
        try:
            name = getpass.getuser()
        except (OSError, KeyError):
            name = ""
        return cls(home=Path.home(), names=(name,))

    def learn(self, value: object) -> None:
        """Take names of users out of all paths of home directories in a value, and what are ids."""
        if len(self._ids) > _REMEMBERED_IDS:
            self._ids.clear()
        self._ids.update(_ids(value, 0))
        for text in _texts(value, 0):
            for match in _LEARNED.finditer(text[:_MAX_TEXT]):
                self._add(match[1])

    def _add(self, name: str) -> None:
        if len(name) >= _SHORTEST_NAME and name.lower() not in _COMMON and name not in self._names:
            self._names.add(name)
            self._seen.clear()
            words = "|".join(re.escape(each) for each in sorted(self._names))
            self._pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{words})(?![A-Za-z0-9])")

    def value(self, value: object) -> object:
        """The value without what is secret, of the same structure. Never raises."""
        self.learn(value)
        return self._value(value, 0, 0)

    def text(self, text: str) -> str:
        return self._text(text, 0)

    def _value(self, value: object, depth: int, nested: int) -> object:
        if isinstance(value, str):
            return self._text(value, nested)
        if isinstance(value, Mapping):
            if depth > _MAX_DEPTH:
                return {}
            return self._mapping(cast("Mapping[str, object]", value), depth, nested)
        if isinstance(value, list | tuple):
            if depth > _MAX_DEPTH:
                return []
            return self._list(list(cast("Sequence[object]", value)), depth, nested)
        return value

    def _mapping(self, value: Mapping[str, object], depth: int, nested: int) -> dict[str, object]:
        secret = secret_keys(value)
        found: dict[str, object] = {}
        for key, item in value.items():
            new = self._value(item, depth + 1, nested)
            if key in secret or is_secret_name(key, number=isinstance(item, int | float)):
                cover = _mark_or_zero if is_secret_name(key, number=True) else _mark
                new = with_leaves(item, cover)
            shown = self._text(key, nested)
            while shown in found:
                shown += "_"
            found[shown] = new
        return found

    def _list(self, items: list[object], depth: int, nested: int) -> list[object]:
        texts = [item for item in items if isinstance(item, str)]
        if len(texts) > 1:
            found = iter(_joint(texts))
            items = [next(found) if isinstance(item, str) else item for item in items]
        return [self._value(item, depth + 1, nested) for item in items]

    def _text(self, text: str, nested: int) -> str:
        if len(text) > _SHORT or text in self._ids:
            return self._looked_through(text, nested)
        known = self._seen.get(text)
        if known is None:
            if len(self._seen) >= _REMEMBERED:
                self._seen.clear()
            known = self._seen[text] = self._looked_through(text, nested)
        return known

    def _looked_through(self, text: str, nested: int) -> str:
        text = text[:_MAX_TEXT]
        parsed = _parsed(text) if nested < _JSON_DEPTH else None
        if parsed is not None:
            inner = self._value(parsed, 0, nested + 1)
            if inner != parsed:
                text = json.dumps(inner, ensure_ascii=False)
        spans = _spans(text, self._ids)
        if parsed is None:
            spans += find_quoted(text)
        text = _covered(text, spans if text in self._ids else [*spans, *wrapped(text, _tokens)])
        if self._home is not None:
            text = self._home.sub(f"/home/{USER}", text)
        text = _EMAIL.sub(EMAIL, text)
        text = _IN_FOLDER.sub(rf"\g<1>{USER}", _IN_PATH.sub(rf"\g<1>{USER}", text))
        return self._pattern.sub(USER, text) if self._pattern is not None else text


def _texts(value: object, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif depth > _MAX_DEPTH:
        return
    elif isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            yield key
            yield from _texts(item, depth + 1)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _texts(item, depth + 1)


def _ids(value: object, depth: int) -> Iterator[str]:
    """Values of keys that say that they are ids, and have no form of a token; with their parts."""
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, Mapping):
        for key, item in cast("Mapping[str, object]", value).items():
            if not isinstance(item, str):
                yield from _ids(item, depth + 1)
            elif is_id_name(key) and _ID.fullmatch(item) and not find_tokens(item):
                yield item
                yield from _PART_OF_ID.findall(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from _ids(item, depth + 1)


def _parsed(text: str) -> object:
    """The object or list that a text is the JSON of."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value


def _covered(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in merged(spans):
        parts += (text[position:start], MARK)
        position = end
    return "".join([*parts, text[position:]]) if parts else text


def _tokens(text: str) -> list[Span]:
    return merged([*find_tokens(text), *random_spans(text, ())])


def _joint(texts: Sequence[str]) -> list[str]:
    """Texts of a list without secrets that begin in one and end in another.

    A list may hold lines, words of a command, or pieces of one text.
    """
    if sum(map(len, texts)) > _MAX_TEXT:
        return list(texts)
    found: dict[int, list[Span]] = {}
    for between, spans in (("\n", _spans), (" ", _spans), ("", _tokens)):
        for index, start, end in _across(texts, between, spans):
            found.setdefault(index, []).append((start, end))
    return [_covered(text, found.get(index, [])) for index, text in enumerate(texts)]


def _across(
    parts: Sequence[str], between: str, spans: Callable[[str], list[Span]]
) -> Iterator[tuple[int, int, int]]:
    """Which part, and from where to where in it, belongs to a secret that is in several.

    With something between the parts also one that is in one, for which others may be the reason.
    """
    starts: list[int] = []
    position = 0
    for part in parts:
        starts.append(position)
        position += len(part) + len(between)
    for start, end in spans(between.join(parts)):
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        if first == last and not between.isspace():
            continue
        for index in range(first, last + 1):
            inside = (start - starts[index], min(end - starts[index], len(parts[index])))
            yield index, max(0, inside[0]), inside[1]


def _spans(text: str, ids: Container[str] = ()) -> list[Span]:
    """Start and end of all that may be secret; what looks random too, unless it is an id."""
    reading = uncolored(text)
    if reading is None:
        by_chance = random_spans(text, ids)
    else:
        by_chance = (reading.whole(*span) for span in random_spans(reading.text, ids))
    return merged([*find_secrets(text, homes=False), *by_chance])


def _mark(value: object) -> object:
    """Return the mark that replaces a secret text; numbers stay."""
    is_number = value is None or isinstance(value, bool | int | float)
    return value if is_number or not value else MARK


def _mark_or_zero(value: object) -> object:
    """Return the mark that replaces a secret text or number."""
    is_secret = isinstance(value, int | float) and not isinstance(value, bool)
    return 0 if is_secret and cast("float", value) >= _SECRET_DIGITS else _mark(value)
