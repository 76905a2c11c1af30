"""Rules that find what may be a secret in a text, for what is kept in files and handed on.

They are stricter than those of what is shown (`timeline.secrets`, which these add to): a trace may
lose a harmless word, but not keep a password.
"""

import base64
import binascii
import re
from collections.abc import Callable, Container, Iterable, Iterator
from urllib.parse import unquote

from agentview.inspection.random_words import random_spans
from agentview.inspection.secret_forms import Span, anycase, exact, spans_of
from agentview.inspection.secret_names import (
    NAME,
    NAME_SIGNS,
    STRONG,
    STRONG_SIGNS,
    WEAK,
    WEAK_SIGNS,
)
from agentview.inspection.secret_places import PLACES
from agentview.timeline.secrets import find_secrets, without_colours

_HOME_RULE = "home directory"
"""The rule for names of users, which have a replacement of their own."""

_IS = r"(?:\\*[\"'`])?\]?\s{0,3}(?:=>|:=|=|:|\\+u003[ad]|%3[ad])\s{0,3}"
"""What stands between a name and its value, a quote behind the name included."""

_QUOTED = r"(\\*[\"'`])((?:(?!\1).){1,2000}?)\1"
_BARE = r"(?![\"'`\\]|\$[({])((?:,(?!\s)|[^\s\"'`,;&|)}\]<>\\]){1,500})"
_COUNT = r"(?!\\*[\"'`]?\d+(?:[.,]\d+)?(?![\w-]))"
_SHELL_VALUE = r"(\\*[\"'])?((?(1)(?:(?!\1).){1,2000}|[^\s\\\"']{1,500}))"

_VARIABLE = (
    r"[A-Z][A-Z0-9_]*(?:PASS|PASSWD|PASSWORD|PWD|PW|SECRET|TOKEN|KEY|AUTH|COOKIE|CREDENTIALS?"
    r"|CREDS|DSN|SALT|PAT)(?:_[A-Z0-9]+)?="
)

_STATED = (
    anycase(STRONG + _IS + _QUOTED, *STRONG_SIGNS, group=2),
    anycase(STRONG + _IS + _BARE, *STRONG_SIGNS),
    anycase(WEAK + _IS + _COUNT + _QUOTED, *WEAK_SIGNS, group=2),
    anycase(WEAK + _IS + _COUNT + _BARE, *WEAK_SIGNS),
    # A line of an environment: all behind the name, spaces and signs included.
    exact(
        r"(?:^|\\[nrt0]|\\u0000|[\s\0→+|`(;&])(?:export |declare -x |set |setx |- )?"
        + _VARIABLE
        + r"([^\r\n\\\0`]{1,500})",
        "=",
    ),
    exact(r"[\"']" + _VARIABLE + r"([^\r\n\\\"']{1,500})", "="),
    anycase(
        r"(?:authorization|cookie|(?<![\w-])x-[\w-]{0,40}(?:key|token|auth|secret|session)|api-key)"
        r"(?:\\*[\"'])?\s*[:=]\s*(?:\\*[\"'])?"
        r"(?:(?:bearer|basic|token|digest|negotiate|apikey|key)\s+)?([^\s\"'\\][^\"'\\\r\n]*)",
        "authorization", "cookie", "x-", "api-key",
    ),
    # Names that are words of the language too, where they are the whole key; names in camel case.
    exact(r"(?:^|[\s{,\"']|\\n)pass" + _IS + _COUNT + _QUOTED, "pass", group=2),
    exact(r"(?:^|[\s{,\"']|\\n)pass" + _IS + _COUNT + _BARE, "pass"),
    exact(r"[a-z](?:Pass|Pwd|Pw|Creds)" + _IS + _QUOTED, "Pass", "Pwd", "Pw", "Creds", group=2),
    exact(r"[a-z](?:Pass|Pwd|Pw|Creds)" + _IS + _BARE, "Pass", "Pwd", "Pw", "Creds"),
    anycase(r"(?<![a-z])creds?" + _IS + r"(\{[^{}]{1,1000})", "cred"),
    # A value that is cut off before its quote ends.
    anycase(STRONG + _IS + r"\\*[\"'`]([^\"'`\r\n]{4,500})(?=[\r\n`]|\Z)", *STRONG_SIGNS),
    anycase(STRONG + r"\(\s*" + _QUOTED, *STRONG_SIGNS, group=2),
    anycase(
        r"\bauthorization\\*[\"']?\s*[:=]\s*(?:\\*[\"'])?[\w-]{1,40}\s+"
        r"((?:[\w-]{1,40}=(?:\\*\"[^\"\\]{0,1000}\\*\"|[^\s,\"'\\]{1,1000})(?:,\s*)?){1,20})",
        "authorization",
    ),
    anycase(r"\bbearer\s+([\w.~+/-]{20,}=*)", "bearer"),
    # Options of programs.
    anycase(
        rf"(?<![\w-])--[\w-]{{0,40}}?(?:{NAME})[= ]" + _SHELL_VALUE, *NAME_SIGNS, group=2
    ),
    exact(r"(?:\s-b|--cookie)[= ]" + _SHELL_VALUE, "-b", "--cookie", group=2),
    exact(
        r"(?:\s-u|--user)[= ]?(?:\\*[\"'])?[^\s:\"'\\]{1,100}:([^\s\"'\\]{1,500})", "-u", "--user"
    ),
    exact(
        r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|docker login|podman login)\b"
        r"[^\n|;&]{0,300}?\s-p\s?" + _SHELL_VALUE,
        "-p",
        group=2,
    ),
    exact(
        r"\b(?:IDENTIFIED BY|requirepass|AUTH)\s+" + _SHELL_VALUE,
        "IDENTIFIED", "requirepass", "AUTH",
        group=2,
    ),
    # Addresses, also with their slashes escaped.
    exact(r":(?:\\*/){2}[^\s/:@\"'\\]*:([^\s\"'/\\]{1,300})@", "@"),
    exact(r":(?:\\*/){2}([^\s/:@\"'\\]{16,300})@", "@"),
    # Files of their own kind.
    exact(r"\blogin\s+\S+\s+password\s+(\S+)", "login"),
    exact(r"^[^:\s]+:\d+:[^:\s]*:[^:\s]+:(\S+)$", ":"),
    exact(r"(\$(?:2[aby]|5|6|y|apr1|argon2\w*)\$[^\s:\"'\\]{20,})", "$"),
    *PLACES,
)  # fmt: skip

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,20000}={0,2}")
_ENCODED_LOOKS = 200
"""Words that may be encoded text which are looked at in one text."""

_ESCAPED = re.compile(r"[^\s\"'<>]{8,20000}")
_ESCAPED_PART = re.compile(r"(?:%[0-9A-Fa-f]{2})+|.", re.DOTALL)
"""Characters that are escaped, with all that follow at once: one may take several."""

_ESCAPES = re.compile(r"\\([\"\\/nrt])")
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}

_READABLE = re.compile(r"[\t\r\n -~]{12,}")


def secret_spans(text: str, ids: Container[str] = ()) -> list[Span]:
    """Start and end of all that may be secret in a text, in order, none touching another.

    What looks random is secret too, unless it is one of the ids.
    """
    coloured = _coloured(text)
    text = without_colours(text)
    found = [*_all_spans(text), *random_spans(text, ids), *coloured]
    return merged([*found, *_escaped(text)]) if "%" in text else merged(found)


def quoted_spans(text: str) -> Iterator[Span]:
    """Secrets in parts of a text that are quoted with escapes, as JSON is in an error about it."""
    if _ESCAPES.search(text) is not None:
        yield from _rewritten(_unescaped(text), lambda plain: spans_of(plain, _STATED))


def _unescaped(text: str) -> Iterator[tuple[Span, str]]:
    position = 0
    for match in _ESCAPES.finditer(text):
        yield from (((at, at + 1), text[at]) for at in range(position, match.start()))
        yield match.span(), _MEANT.get(match[1], match[1])
        position = match.end()
    yield from (((at, at + 1), text[at]) for at in range(position, len(text)))


def token_spans(text: str) -> list[Span]:
    """The same, of what has a vendor's form alone: whatever stands before or behind it."""
    return merged(list(_vendors(text)))


def _all_spans(text: str) -> Iterator[Span]:
    yield from _vendors(text)
    yield from spans_of(text, _STATED)
    yield from _encoded(text)


def _vendors(text: str) -> Iterator[Span]:
    return ((each.start, each.end) for each in find_secrets(text) if each.name != _HOME_RULE)


def _escaped(text: str) -> Iterator[Span]:
    """Secrets in texts whose signs are written as in addresses: `%3D` for `=`."""
    for match in _ESCAPED.finditer(text):
        if "%" in match[0]:
            parts = (part.span() for part in _ESCAPED_PART.finditer(text, *match.span()))
            plain = ((span, unquote(text[slice(*span)], errors="replace")) for span in parts)
            yield from _rewritten(plain, _all_spans)


def _coloured(text: str) -> Iterator[Span]:
    """Tokens of which a part has another colour, as what was searched for has."""
    shown = without_colours(text)
    if shown != text:
        kept = (
            ((at, at + 1), char)
            for at, (char, was) in enumerate(zip(shown, text, strict=True))
            if char == was
        )
        yield from _rewritten(kept, _vendors)


def _rewritten(
    parts: Iterable[tuple[Span, str]], spans: Callable[[str], Iterable[Span]]
) -> Iterator[Span]:
    """Secrets in a text that is put together of what its parts mean; where each part stands."""
    places: list[Span] = []
    plain: list[str] = []
    for place, meant in parts:
        plain.append(meant)
        places += [place] * len(meant)
    for start, end in spans("".join(plain)):
        yield places[start][0], places[end - 1][1]


def _encoded(text: str) -> Iterator[Span]:
    """Words that are secrets, or texts with secrets, in base64."""
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _ENCODED_LOOKS:
            return
        plain = _decoded(match[0])
        if plain is not None and (any(_vendors(plain)) or any(spans_of(plain, _STATED))):
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


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order; those that touch or overlap as one."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found
