"""Rules that find what may be a secret in a text, for what is kept in files and handed on.

They are stricter than those of what is shown (`timeline.secrets`, which these add to): a trace may
lose a harmless word, but not keep a password.
"""

import base64
import binascii
import re
from collections.abc import Iterator

from agentview.timeline.secrets import find_secrets

Span = tuple[int, int]

_HOME_RULE = "home directory"
"""The rule for names of users, which have a replacement of their own."""

_STRONG = (
    r"(?:pass(?:words?|wds?|phrases?|codes?)|pwd|(?<=[_-])pass|secrets?"
    r"|api[_-]?keys?|access[_-]?keys?(?:[_-]?id)?|private[_-]?keys?(?:[_-]?id)?"
    r"|(?:secret|encryption|signing|account|master|shared|storage|client|service|license)[_-]?keys?"
    r"|credentials?|connection[_-]?strings?|mnemonic|seed[_-]?phrase|webhook[_-]?url)"
)
"""Ends of names whose values are secret, whatever they are."""

_WEAK = r"(?:tokens?|auth|cookies?|bearer|sig|signature|dsn|session[_-]?key|jwt|otp)"
"""Ends of names whose values are secret unless they are numbers, which are counts."""

_IS = r"(?:\\*[\"'`])?\s{0,3}(?:=>|:=|=|:|\\+u003[ad]|%3[ad])\s{0,3}"
"""What stands between a name and its value, a quote behind the name included."""

_QUOTED = r"(\\*[\"'`])((?:(?!\1).){1,2000}?)\1"
_BARE = r"(?![\"'`\\]|\$[({])((?:,(?!\s)|[^\s\"'`,;&|)}\]<>\\]){1,500})"
_COUNT = r"(?!\\*[\"'`]?\d+(?:[.,]\d+)?(?![\w-]))"
_SHELL_VALUE = r"(\\*[\"'])?((?(1)(?:(?!\1).){1,2000}|[^\s\\\"']{1,500}))"
_ANY_CASE = re.IGNORECASE | re.DOTALL

_RULES: tuple[tuple[re.Pattern[str], int], ...] = (
    (re.compile(_STRONG + _IS + _QUOTED, _ANY_CASE), 2),
    (re.compile(_STRONG + _IS + _BARE, _ANY_CASE), 1),
    (re.compile(_WEAK + _IS + _COUNT + _QUOTED, _ANY_CASE), 2),
    (re.compile(_WEAK + _IS + _COUNT + _BARE, _ANY_CASE), 1),
    # A line of an environment: all behind the name, spaces and signs included.
    (
        re.compile(
            r"(?:^|\\n|\s)(?:export |declare -x |set |setx |- )?[A-Z][A-Z0-9_]*"
            r"(?:PASS|PASSWD|PASSWORD|PWD|SECRET|TOKEN|KEY|AUTH|COOKIE|CREDENTIALS?|DSN)"
            r"(?:_[A-Z0-9]+)?=([^\r\n\\]{1,500})",
            re.MULTILINE,
        ),
        1,
    ),
    (
        re.compile(
            r"(?:authorization|cookie|(?<![\w-])x-[\w-]{0,40}(?:key|token|auth|secret|session)|api-key)"
            r"(?:\\*[\"'])?\s*[:=]\s*(?:\\*[\"'])?"
            r"(?:(?:bearer|basic|token|digest|negotiate|apikey|key)\s+)?([^\s\"'\\][^\"'\\\r\n]*)",
            re.IGNORECASE,
        ),
        1,
    ),
    (re.compile(r"\bbearer\s+([\w.~+/-]{20,}=*)", re.IGNORECASE), 1),
    # Options of programs.
    (
        re.compile(
            r"(?<![\w-])--[\w-]{0,40}?(?:" + _STRONG + "|" + _WEAK + r")[= ]" + _SHELL_VALUE,
            _ANY_CASE,
        ),
        2,
    ),
    (re.compile(r"(?:\s-b|--cookie)[= ]" + _SHELL_VALUE), 2),
    (re.compile(r"(?:\s-u|--user)[= ]?(?:\\*[\"'])?[^\s:\"'\\]{1,100}:([^\s\"'\\]{1,500})"), 1),
    (
        re.compile(
            r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|docker login|podman login)\b"
            r"[^\n|;&]{0,300}?\s-p\s?" + _SHELL_VALUE
        ),
        2,
    ),
    (re.compile(r"\b(?:IDENTIFIED BY|requirepass|AUTH)\s+" + _SHELL_VALUE), 2),
    # Addresses, also with their slashes escaped.
    (re.compile(r":(?:\\*/){2}[^\s/:@\"'\\]*:([^\s\"'/\\]{1,300})@"), 1),
    (re.compile(r":(?:\\*/){2}([^\s/:@\"'\\]{16,300})@"), 1),
    # Files of their own kind.
    (re.compile(r"\blogin\s+\S+\s+password\s+(\S+)"), 1),
    (re.compile(r"^[^:\s]+:\d+:[^:\s]*:[^:\s]+:(\S+)$", re.MULTILINE), 1),
    (re.compile(r"(\$(?:2[aby]|5|6|y|apr1|argon2\w*)\$[^\s:\"'\\]{20,})"), 1),
)

_SECRET_NAME = re.compile(rf"(?:{_STRONG}|{_WEAK}|authorization|^pass)$", re.IGNORECASE)
_STRONG_NAME = re.compile(rf"(?:{_STRONG}|authorization|^pass)$", re.IGNORECASE)

_ENCODED = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,20000}={0,2}")
_ENCODED_LOOKS = 200
"""Words that may be encoded text which are looked at in one text."""

_READABLE = re.compile(r"[\t\r\n -~]{12,}")


def is_secret_name(name: str, *, number: bool = False) -> bool:
    """Whether the value of a key is secret; of names that may be counts not when it is a number."""
    return (_STRONG_NAME if number else _SECRET_NAME).search(name) is not None


def secret_spans(text: str) -> list[Span]:
    """Start and end of all that may be secret in a text, in order, none touching another."""
    return merged([*_vendors(text), *_stated(text), *_encoded(text)])


def token_spans(text: str) -> list[Span]:
    """The same, of what has a vendor's form alone: whatever stands before or behind it."""
    return merged(list(_vendors(text)))


def _vendors(text: str) -> Iterator[Span]:
    return ((each.start, each.end) for each in find_secrets(text) if each.name != _HOME_RULE)


def _stated(text: str) -> Iterator[Span]:
    for pattern, group in _RULES:
        yield from (match.span(group) for match in pattern.finditer(text))


def _encoded(text: str) -> Iterator[Span]:
    """Words that are secrets, or texts with secrets, in base64."""
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _ENCODED_LOOKS:
            return
        plain = _decoded(match[0])
        if plain is not None and (any(_vendors(plain)) or any(_stated(plain))):
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
