"""Finds what is secret in a text, and masks it: one set of rules for every surface."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from agentview.redaction.forms import Searched, Span, merged
from agentview.redaction.places import PLACES
from agentview.redaction.statements import STATEMENTS
from agentview.redaction.tokens import HOMES, TOKENS
from agentview.redaction.wrapped import wrapped

MASK = "*"

_COLOURS = re.compile(r"(?:\x1b|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:?]{0,40}[A-Za-z]")
"""What sets colours on a terminal, its first sign escaped or not: its last letter is no letter of
what follows."""

_WRAPPED = 200_000
"""Characters of a text in which tokens are looked for that line breaks divide."""

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,20000}={0,2}")
_ENCODED_LOOKS = 200
"""Words that may be encoded text which are looked at in one text."""

_ESCAPED = re.compile(r"[^\s\"'<>]{8,20000}")
_ESCAPED_PART = re.compile(r"(?:%[0-9A-Fa-f]{2})+|.", re.DOTALL)
"""Characters that are escaped, with all that follow at once: one may take several."""

_ESCAPES = re.compile(r"\\([\"\\/nrt])")
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}

_READABLE = re.compile(r"[\t\r\n -~]{12,}")


def find_secrets(text: str, *, homes: bool = True) -> list[Span]:
    """Start and end of all that is secret in a text, in order, none touching another.

    A secret has a vendor's form, a name before it, or a place in a command, a file or an address;
    it may be encoded, escaped, or coloured in parts. Hashes and ids are none by themselves. With
    `homes`, names of people in paths of home directories are found too.
    """
    plain = without_colours(text)
    found = [*_in_colours(text, plain), *_stated(plain), *_encoded(plain)]
    if len(plain) <= _WRAPPED:
        found += wrapped(plain, find_tokens)
    if homes:
        found += Searched(plain).spans(HOMES)
    if "%" in plain:
        found += _escaped(plain)
    return merged(found)


def prepare() -> None:
    """Compile all patterns now, which takes some tenths of a second, and not at their first use."""
    for forms in (TOKENS, STATEMENTS, PLACES, HOMES):
        forms.prepare()


def find_tokens(text: str) -> list[Span]:
    """The same, of what has a vendor's form alone: whatever is before or behind it."""
    return merged(Searched(without_colours(text)).spans(TOKENS))


def find_quoted(text: str) -> Iterator[Span]:
    """Secrets in parts of a text that are quoted with escapes, as JSON is in an error about it."""
    if _ESCAPES.search(text) is not None:
        yield from _rewritten(_unescaped(text), lambda plain: _named(Searched(plain)))


def masked(text: str) -> str:
    """The text with its secrets masked: as long as it was, its white space kept."""
    parts: list[str] = []
    position = 0
    for start, end in find_secrets(text):
        parts += (text[position:start], covered(text[start:end]))
        position = end
    return "".join([*parts, text[position:]]) if parts else text


def masked_bytes(data: bytes) -> bytes:
    """Bytes with their secrets masked, each at its place."""
    # Each byte as a character of its own, so that none moves.
    return masked(data.decode("latin-1")).encode("latin-1")


def covered(text: str) -> str:
    """A mask for a secret: as long as it, its white space kept."""
    return "".join(char if char.isspace() else MASK for char in text)


def without_colours(text: str) -> str:
    """The text with blanks in the place of what sets colours, as long as it was."""
    if "\x1b" not in text and "\\" not in text:
        return text
    return _COLOURS.sub(lambda match: " " * len(match[0]), text)


def _stated(text: str) -> Iterator[Span]:
    searched = Searched(text)
    yield from searched.spans(TOKENS)
    yield from _named(searched)


def _named(searched: Searched) -> Iterator[Span]:
    yield from searched.spans(STATEMENTS)
    yield from searched.spans(PLACES)


def _unescaped(text: str) -> Iterator[tuple[Span, str]]:
    position = 0
    for match in _ESCAPES.finditer(text):
        yield (position, match.start()), text[position : match.start()]
        yield match.span(), _MEANT.get(match[1], match[1])
        position = match.end()
    yield (position, len(text)), text[position:]


def _escaped(text: str) -> Iterator[Span]:
    """Secrets in texts whose signs are written as in addresses: `%3D` for `=`."""
    for match in _ESCAPED.finditer(text):
        if "%" in match[0]:
            parts = (part.span() for part in _ESCAPED_PART.finditer(text, *match.span()))
            plain = ((span, unquote(text[slice(*span)], errors="replace")) for span in parts)
            yield from _rewritten(plain, _stated)


def _in_colours(text: str, plain: str) -> Iterator[Span]:
    """Tokens of which a part has another colour, as what was searched for has."""
    if plain == text:
        return
    kept: list[tuple[Span, str]] = []
    position = 0
    for match in _COLOURS.finditer(text):
        kept.append(((position, match.start()), text[position : match.start()]))
        position = match.end()
    kept.append(((position, len(text)), text[position:]))
    yield from _rewritten(kept, lambda whole: Searched(whole).spans(TOKENS))


def _rewritten(
    parts: Iterable[tuple[Span, str]], spans: Callable[[str], Iterable[Span]]
) -> Iterator[Span]:
    """Secrets in a text that is put together of what its parts mean; where each part is.

    A part that means as many characters as it has is taken character by character.
    """
    places: list[Span] = []
    starts: list[int] = []
    plain: list[str] = []
    length = 0
    for place, meant in parts:
        if meant:
            places.append(place)
            starts.append(length)
            plain.append(meant)
            length += len(meant)

    def place_of(at: int) -> Span:
        index = bisect_right(starts, at) - 1
        start, end = places[index]
        if len(plain[index]) != end - start:
            return start, end
        return start + at - starts[index], start + at - starts[index] + 1

    for start, end in spans("".join(plain)):
        yield place_of(start)[0], place_of(end - 1)[1]


def _encoded(text: str) -> Iterator[Span]:
    """Words that are secrets, or texts with secrets, in base64."""
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _ENCODED_LOOKS:
            return
        plain = _decoded(match[0])
        if plain is not None and any(_stated(plain)):
            yield match.span()


def _decoded(word: str) -> str | None:
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    word = word[: len(word) - (len(word) % 4 == 1)]
    try:
        data = base64.b64decode(word + "=" * (-len(word) % 4))
        plain = data.decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    return plain if _READABLE.match(plain) is not None else None
