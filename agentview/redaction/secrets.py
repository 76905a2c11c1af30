"""Finds what is secret in a text, and masks it: one set of rules for every surface."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from urllib.parse import unquote

from agentview.redaction.forms import (
    HEXADECIMAL,
    LAST,
    PORT,
    Found,
    SearchedRules,
    SearchedText,
    SecretRule,
    SecretRules,
    Signs,
    Span,
    anycase,
    exact,
    merged,
    runs,
    united,
)
from agentview.redaction.names import (
    NAME,
    NAME_AHEAD,
    NAME_BEFORE,
    NAME_SIGNS,
    STRONG,
    STRONG_SIGNS,
    WEAK,
    WEAK_SIGNS,
)
from agentview.redaction.places import PLACES
from agentview.redaction.readings import Reading, dumped, joined, uncolored
from agentview.redaction.shapes import SAID, SAYING
from agentview.redaction.tokens import broken_at, token_signs, tokens
from agentview.redaction.tokens import prepare as prepare_tokens

TOKEN_RULE = "token"  # noqa: S105

# Tokens whose sign is not their beginning, or that are more than a beginning and a rest.

_SAID = "|".join(SAYING)

TOKENS = SecretRules(
    TOKEN_RULE,
    exact(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY|\Z)",
        "-----BEGIN ",
    ),
    # The end of a key whose beginning is not in the text.
    exact(
        r"(?<![A-Za-z0-9+/=])((?:[A-Za-z0-9+/=]{16,200}\r?\n)+)-----END [A-Z0-9 ]*PRIVATE KEY",
        "-----END ",
        before=20_000, ahead=r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY",
    ),
    # A UUID behind a vendor's sign.
    exact(
        r"(?<![A-Za-z0-9])(?:pat-\w{2,4}|[a-z0-9]{0,8}sk(?:-lf)?)-"
        r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b",
        "sk-", "pat-",
        before=8, ahead=r"(?:pat-\w{2,4}|sk(?:-lf)?)-[0-9a-f]{8}-",
    ),
    # Mailchimp, Terraform, MaxMind, Mapbox, Discord,
    # Telegram, Firebase, Facebook, Authress.
    exact(r"(?<![A-Za-z0-9])([0-9a-f]{32})-us\d{1,2}(?![A-Za-z0-9])", HEXADECIMAL),
    exact(r"(?<![A-Za-z0-9])([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70})", ".atlasv1.", before=14),
    exact(
        r"(?<![A-Za-z0-9])([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?![A-Za-z0-9])", "_mmk", before=36
    ),
    exact(r"\b[pst]k\.(eyJ[\w-]{8,}\.[\w-]{16,})", ".eyJ", before=2),
    exact(
        r"discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})", "/api/webhooks/", before=14
    ),
    exact(r"\b\d{8,10}:(AA[\w-]{33})\b", ":AA", before=10, ahead=r":AA[\w-]{33}\b"),
    exact(r"\b(AAAA[\w-]{7}:APA91b[\w-]{100,200})", ":APA91b", before=11),
    exact(
        r"(?<=\d{14})\d\|([\w-]{27})(?![\w-])", *(f"{digit}|" for digit in range(10))
    ),
    exact(
        r"(?<![A-Za-z0-9])(?:sc|ext|scauth|authress)_([A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-]"
        r"[A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120})",
        ".acc_", ".acc-",
        before=46,
    ),
    # Salesforce.
    exact(r"(?<![A-Za-z0-9])(00D[A-Za-z0-9]{12,15}![\w.]{80,120})", "00D"),
    # JSON web tokens, encrypted ones among them.
    exact(r"\b(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?![\w-])))", "eyJ"),
    exact(r"\b(eyJ[\w-]{8,}\.[\w-]{0,1000}\.[\w-]{8,1000}\.[\w-]{8,}\.[\w-]{8,})", "eyJ"),
    # Signatures and passwords in addresses.
    exact(
        r"[?&;](?:sig|Signature|X-Amz-Signature)=([\w%+/=-]{16,})", "sig=", "Signature=", before=7
    ),
    exact(
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@\"']{0,200}:([^\s/@\"']{1,200})@",
        "://",
        before=31, ahead=r"://[^\s/:@\"']{0,200}:[^\s/@\"']{1,200}@",
    ),
)  # fmt: skip
"""Forms that are secret wherever they are, also in a part of a longer word."""

LONG_TOKENS = SecretRules(
    TOKEN_RULE,
    # Azure.
    exact(
        r"(?<![\w~.])([\w~.]{3}\dQ~[\w~.-]{31,34})(?![\w~-])",
        "Q~",
        before=4, ahead=r"Q~[\w~.-]{31}",
    ),
    exact(
        r"(?<![A-Za-z0-9+/])([A-Za-z0-9]{52}JQQJ9[9D][A-Za-z0-9]{20,30})(?![A-Za-z0-9])",
        "JQQJ9",
        before=52,
    ),
    exact(
        r"([A-Za-z0-9+/]{30,78}(?:\+ASt|\+ABa|\+AMC|\+ASb|\+AEh|\+ARm|\+ACR|ACDb"
        r"|AIoT|APIM|AzFu|AzSe)[A-Za-z0-9+/]{4,8}={0,2})(?![A-Za-z0-9+/=])",
        "+ASt", "+ABa", "+AMC", "+ASb", "+AEh", "+ARm", "+ACR", "ACDb", "AIoT", "APIM", "AzFu",
        "AzSe",
        before=78, ahead="(?<=[A-Za-z0-9+/]{30})[A-Za-z0-9+/]{8}",
    ),
    # A word that says that a token follows, behind the name of a vendor.
    exact(
        rf"(?<![A-Za-z0-9_]){SAID}(?:{_SAID})[_-]"
        r"(?=[A-Za-z0-9]{0,60}\d)(?=[A-Za-z0-9]{0,60}[A-Z])(?=[A-Za-z0-9]{0,60}[a-z])"
        r"([A-Za-z0-9]{20,200})(?![\w-])",
        *(f"{word}{after}" for word in SAYING for after in "_-"),
        before=39, ahead="[a-z]{2,6}[_-][A-Za-z0-9]{20}",
    ),
)  # fmt: skip
"""The same, of those that have a long word."""

HOMES_RULE = "home directory"
HOMES = SecretRules(
    HOMES_RULE,
    exact(
        r"(?:(?<![\w.])/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})"
        r"((?!Shared\b)[^/\\\s\"':;,)<>]+)",
        "/home/", "/Users/", "\\Users\\",
        before=5,
    ),
)  # fmt: skip
"""Names of people, where they are those of home directories."""


# Statements: a name that says that its value is secret, and the value.

_IS = r"(?:\\*[\"'`])?\]?\s{0,3}(?:=>|:=|=|:|\\+u003[ad]|%3[ad])\s{0,3}"
"""Text between a name and its value, a quote behind the name included."""

_QUOTED = r"(\\*[\"'`])((?:(?!\1).){1,2000}?)\1"
_LIST = r"\[\s{0,20}((?:\\*[\"'][^\"'\\\r\n]{1,500}\\*[\"']\s{0,20},?\s{0,20}){1,50})"
_OBJECT = (
    r"\{\s{0,20}((?:\\*\"[^\"\\]{1,100}\\*\"\s{0,3}:\s{0,3}\\*\"[^\"\\]{1,500}\\*\"\s{0,20},?"
    r"\s{0,20}){1,50})\}"
)
_CODE = (
    r"(?!(?:str|string|bytes|bool|boolean|int|integer|number|float|none|null|nil|undefined|true"
    r"|false|optional|any|object|void|char|varchar\w*|text|required|not|typeof"
    r"|keyof)\b(?!-)|(?:self|this|os|process|settings|config|options|args|request|secrets|env)"
    r"[.\[]|(?:[a-z]{2,10} )?[a-z_][\w.]{0,80}[(\[]|[=/.~{\[(<])"
)
"""No value: a type, a call, a part of something else, a path, as code has behind a name."""
_BARE = r"(?![\"'`\\]|\$[({])" + _CODE + r"((?:,(?!\s)|[^\s\"'`,;&|)}\]<>\\]){1,500})"
_COUNT = r"(?!\\*[\"'`]?\d+(?:[.,]\d+)?(?![\w-]))"
_SHELL_WORD = r"((?(1)(?:(?!\1).){1,2000}|[^\s\\\"']{1,500}))"
_SHELL_VALUE = r"(\\*[\"'])?" + _SHELL_WORD
_HEADER = r"(?:authorization|cookie|api-key)"
_X_HEADER = r"x-[\w-]{0,40}(?:key|token|auth|secret|session)"
_SCHEME = r"(?:bearer|basic|token|negotiate|apikey|key)"
_VALUE = f"(?:{_QUOTED}|{_LIST}|{_OBJECT}|{_BARE})"

_VARIABLE = (
    r"[A-Z][A-Z0-9_]{0,120}(?:PASS|PASSWD|PASSWORD|PWD|PW|SECRET|TOKEN|KEY|AUTH|COOKIE"
    r"|CREDENTIALS?|CREDS|DSN|SALT|PAT)(?:_[A-Z0-9]{1,60})?="
)

_VARIABLE_SIGNS = (
    "PASS", "PWD", "PW", "SECRET", "TOKEN", "KEY", "AUTH", "COOKIE", "CRED", "DSN", "SALT", "PAT",
)  # fmt: skip
_VARIABLE_AHEAD = "[A-Z0-9_]{2,80}="
_LEADS = r"(?:^|\\[nrt0]|\\u0000|[\s\0→+|`(;&])(?:export |declare -x |set |setx |- )?"
"""The text before a variable."""


def _stating(name: str, signs: Sequence[str], stated: str, value: str) -> SecretRule:
    return anycase(
        name + stated + value, *signs, group=LAST, before=NAME_BEFORE, ahead=NAME_AHEAD + stated
    )


STATEMENTS = SecretRules(
    "named value",
    _stating(STRONG, STRONG_SIGNS, _IS, _VALUE),
    # The first that matches: `sig` is a name, `signature` mostly one of a function.
    _stating(f"(?>{WEAK})", WEAK_SIGNS, _IS, _COUNT + _VALUE),
    # A line of an environment: all behind the name, spaces and signs included.
    exact(
        _LEADS + _VARIABLE + r"(?!\$[({]|[/.~=])([^\r\n\\\0`]{1,500})",
        *_VARIABLE_SIGNS,
        before=140, ahead=_VARIABLE_AHEAD,
    ),
    exact(
        r"[\"']" + _VARIABLE + r"([^\r\n\\\"']{1,500})",
        *_VARIABLE_SIGNS,
        before=122, ahead=_VARIABLE_AHEAD,
    ),
    # A header has all that follows; an option of that name has one word of a shell.
    anycase(
        rf"(?<![\w-])--[\w-]{{0,40}}?{_HEADER}=(\\*[\"'])?(?:{_SCHEME}\s+)?{_SHELL_WORD}"
        rf"|(?:{_HEADER}|(?<![\w-]){_X_HEADER})"
        r"(?:\\*[\"'])?\s*[:=]\s*(?:\\*[\"'])?"
        rf"(?:{_SCHEME}\s+([^\s\"'\\,]+)"
        r"|(?:digest\s+)?([^\s\"'\\][^\"'\\\r\n]*))",
        "authorization", "cookie", "x-", "api-key",
        group=LAST, before=42, ahead=rf"(?:{_HEADER}|{_X_HEADER})(?:\\*[\"'])?\s*[:=]",
    ),
    # Names that are words of the language too, where they are the whole key; names in camel case.
    exact(
        r"(?:^|[\s{,\"']|\\n)pass" + _IS + _COUNT + _VALUE,
        "pass",
        group=LAST, before=2, ahead="pass" + _IS,
    ),
    exact(
        r"[a-z](?:Pass|Pwd|Pw|Creds)" + _IS + _VALUE,
        "Pass", "Pwd", "Pw", "Creds",
        group=LAST, before=1, ahead=r"(?:Pass|Pwd|Pw|Creds)" + _IS,
    ),
    anycase(r"(?<![a-z])creds?" + _IS + r"(\{[^{}]{1,1000})", "cred"),
    # Words behind a name that begins its line, as notes have them; codes for one time.
    anycase(
        r"^[ \t>*#-]{0,20}(?:[\w.-]{1,30}[ _.-])?pass(?:word|phrase|code)[ \t]{0,3}[:=][ \t]{1,4}"
        + _CODE
        + r"([^\s\"'`{\[(<$][^\r\n\"'`=(]{3,200})$",
        "pass",
        before=51, ahead=r"pass(?:word|phrase|code)[ \t]{0,3}[:=][ \t]",
    ),
    anycase(
        r"\b(?:t?otp|one[ _-]time[ _-](?:code|password)|(?:verification|2fa|mfa)[ _-]?code)"
        r"\\*[\"']?\s{0,3}(?:is|[:=])\s{0,3}\\*[\"']?(\d{4,10})\b",
        "otp", "one time", "one_time", "one-time", "verification", "2fa", "mfa",
        before=1,
    ),
    # A value that is cut off before its quote ends.
    _stating(STRONG, STRONG_SIGNS, _IS, r"\\*[\"'`]([^\"'`\r\n]{4,500})(?=[\r\n`]|\Z)"),
    _stating(STRONG, STRONG_SIGNS, r"\(\s*(?=\\*[\"'`])", _QUOTED),
    anycase(
        r"\bauthorization\\*[\"']?\s*[:=]\s*(?:\\*[\"'])?[\w-]{1,40}\s+"
        r"((?:[\w-]{1,40}=(?:\\*\"[^\"\\]{0,1000}\\*\"|[^\s,\"'\\]{1,1000})(?:,\s*)?){1,20})",
        "authorization",
    ),
    anycase(r"\bbearer\s+([\w.~+/-]{20,}=*)", "bearer"),
    # Options of programs.
    anycase(
        rf"(?<![\w-])--[\w-]{{0,40}}?(?:{NAME})[= ]" + _SHELL_VALUE,
        *NAME_SIGNS,
        group=2, before=42 + NAME_BEFORE, ahead=NAME_AHEAD + "[= ]", begin="--",
    ),
    # A cookie has a name: other programs have an option `-b` too, such as `git checkout -b BRANCH`.
    exact(
        r"(?:\s-b|--cookie)[= ](?=(?:\\*[\"'])?[^\s\"'\\=;]{1,200}=[^\s\"'\\=])" + _SHELL_VALUE,
        "-b", "--cookie",
        group=2, before=1, ahead="(?:-b|--cookie)[= ]",
    ),
    exact(
        r"(?:\s-u|--user)[= ]?(?:\\*[\"'])?[^\s:\"'\\]{1,100}:([^\s\"'\\]{1,500})",
        "-u", "--user",
        before=1,
    ),
    exact(
        r"\b(?:mysql\w*|mariadb[\w-]*|sshpass|docker login|podman login)\b"
        r"[^\n|;&]{0,300}?\s-p\s?" + _SHELL_VALUE,
        "mysql", "mariadb", "sshpass", "docker login", "podman login",
        group=2,
    ),
    exact(
        r"\b(?:IDENTIFIED BY|requirepass|AUTH)\s+" + _SHELL_VALUE,
        "IDENTIFIED", "requirepass", "AUTH",
        group=2,
    ),
    # Addresses, also with their slashes escaped.
    exact(r":(?:\\*/){2}[^\s/:@\"'\\]*:([^\s\"'/\\]{1,300})@", ":/", ":\\"),
    exact(r":(?:\\*/){2}([^\s/:@\"'\\]{16,300})@", ":/", ":\\"),
    # Files of their own kind.
    exact(r"\blogin\s+\S+\s+password\s+(\S+)", "login"),
    exact(
        r"(\$(?:2[aby]|5|6|y|apr1|argon2\w*)\$[^\s:\"'\\]{20,})",
        "$2a$", "$2b$", "$2y$", "$5$", "$6$", "$y$", "$apr1$", "$argon2",
    ),
)  # fmt: skip


MASK = "*"

Note = Callable[[str], object]
"""Takes the name of the rule of each secret that is masked."""

_SIGNS = frozenset("+- ")
"""First characters of lines of a patch."""

_DIVIDED = "token divided by a line break"
_BASE64 = "secret in base64"
_HEXADECIMAL = "secret in hexadecimal"

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_LETTER_CLASSES = bytes(ord("0") if code in _LETTERS else ord(" ") for code in range(256))
_LEAST_LETTERS = 20
_ENCODED = re.compile(
    # In text, the first of four letters says that a character of it is one of ASCII.
    r"(?=(?:[CDI-Za-f][A-Za-z0-9+/_-]{3}){4}|[0-9a-f]{20})[A-Za-z0-9+/_-]{20,20000}={0,2}"
)
_NUMBERS = re.compile(r"(?:[0-9a-f]{2}){16,20000}")

_ESCAPED_SIGN = re.compile("%[0-9A-Fa-f]{2}")
_ESCAPED = re.compile(r"[^\s\"'<>]{8,20000}")
_ESCAPED_PART = re.compile(r"(?:%[0-9A-Fa-f]{2})+|.", re.DOTALL)
"""Characters that are escaped, with all that follow at once: one may take several."""

_ESCAPES = re.compile(r"\\([\"\\/nrt])")
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}

_SHORT_TEXT, _LONG_TEXT = 8_192, 1_000_000
"""Characters up to which 2,048 texts are kept with their secrets, and up to which 16 are."""
_BEFORE_PART, _BEHIND_PART = 16_384, 4_096
"""Characters around a part of a text in which the rest of a secret may be."""
_READABLE = re.compile(r"[\t\r\n -~]{12,}")


def find_secrets(text: str, *, homes: bool = True) -> list[Span]:
    """Start and end of all that is secret in a text, in order, none touching another.

    A secret has a vendor's form, a name before it, or a place in a command, a file or an address;
    it may be encoded, escaped, colored in parts, divided by line breaks, or the content of a dump.
    Hashes and ids are none by themselves. With `homes`, names of people in paths of home
    directories are found too.
    """
    return [(start, end) for start, end, _ in name_secrets(text, homes=homes)]


def name_secrets(text: str, *, homes: bool = True) -> list[Found]:
    """The same, each with the name of the rule that found it."""
    reading = uncolored(text)
    plain = text if reading is None else reading.text
    searched = searched_text(plain)
    found = [*_shaped(searched, _STATED), *_encoded(plain), *_divided(plain), *_dumped(plain)]
    if homes:
        found += _OF_PEOPLE.found(searched)
    if "%" in plain and _ESCAPED_SIGN.search(plain) is not None:
        found += _escaped(plain)
    if "\\" in plain and plain.lstrip()[:1] in ("{", "[", '"'):
        # Arguments as the log has them, say: rules for lines do not know an escaped line end.
        found += _quoted(plain)
    return united(found if reading is None else _back(reading, found))


def prepare() -> None:
    """Compile all patterns now, which takes some tenths of a second, and not at their first use."""
    prepare_tokens()
    _signs()
    for rules in (_SHAPED, _STATED, _OF_PEOPLE):
        rules.prepare()


_SHAPED = SearchedRules(TOKENS, LONG_TOKENS)
_STATED = SearchedRules(TOKENS, LONG_TOKENS, STATEMENTS, PLACES)
_OF_PEOPLE = SearchedRules(HOMES)


@cache
def _signs() -> tuple[Signs, Signs]:
    """All signs that are spelled in one case, and all others."""
    families = (TOKENS, LONG_TOKENS, STATEMENTS, PLACES, HOMES)
    forms = [form for family in families for form in family.forms]
    spelled = (sign for form in forms if not form.folded for sign in form.signs)
    folded = (sign for form in forms if form.folded for sign in form.signs)
    return Signs({*token_signs(), *spelled} - {HEXADECIMAL, PORT}), Signs({*folded})


def searched_text(text: str) -> SearchedText:
    return SearchedText(text, *_signs())


def find_tokens(text: str) -> list[Span]:
    """The same, of what has a vendor's form alone: whatever is before or behind it."""
    return merged((start, end) for start, end, _ in name_tokens(text))


def name_tokens(text: str) -> list[Found]:
    """The same, each with the name of its form."""
    reading = uncolored(text)
    if reading is None:
        return united(_shaped(searched_text(text)))
    return united(_back(reading, _shaped(searched_text(reading.text))))


def _back(reading: Reading, found: Iterable[Found]) -> Iterator[Found]:
    return ((*reading.whole(start, end), rule) for start, end, rule in found if start < end)


def _shaped(searched: SearchedText, rules: SearchedRules = _SHAPED) -> Iterator[Found]:
    """Tokens, and what has one of the forms."""
    for token in tokens(searched.text, searched.places):
        yield token.start, token.end, f"{TOKEN_RULE}: {token.sign}"
    yield from rules.found(searched)


def _divided(text: str) -> Iterator[Found]:
    """Tokens, and words in base64, of which parts are in several lines."""
    lines = joined(text)
    if lines is None:
        return
    for token in tokens(lines.text, searched_text(lines.text).places, lines.joints):
        joints = lines.inside(token.begin, token.end)
        end = broken_at(lines.text, token, joints) if joints else 0
        if lines.inside(token.begin, end):
            yield from ((*span, _DIVIDED) for span in lines.parts(token.start, end))
    likely = lines.likely()
    for found in (_SHAPED.found(searched_text(likely)), _encoded(likely)):
        for start, end, _ in found:
            if lines.inside(start, end):
                yield from ((*span, _DIVIDED) for span in lines.parts(start, end))


def _dumped(text: str) -> Iterator[Found]:
    """Secrets in the bytes that a dump shows: as numbers, and as characters."""
    dump = dumped(text)
    if dump is not None:
        for start, end, rule in _stated(dump.text):
            yield from ((*span, rule) for span in dump.parts(start, end))


def find_quoted(text: str) -> Iterator[Span]:
    """Secrets in parts of a text that are quoted with escapes, as JSON is in an error about it."""
    yield from ((start, end) for start, end, _ in _quoted(text))


def masked(text: str, note: Note | None = None) -> str:
    """The text with its secrets masked: as long as it was, its white space kept.

    `note` is called with the name of the rule for each secret.
    """
    parts: list[str] = []
    position = 0
    for start, end, rule in _known(text):
        if note is not None:
            note(rule)
        parts += (text[position:start], covered(text[start:end]))
        position = end
    return "".join([*parts, text[position:]]) if parts else text


def masked_part(text: str, start: int, end: int) -> str:
    """A part of a text with its secrets masked, looked for in the part and what is around it.

    The time is that of the part: what says that it is a secret, as the beginning of a key does,
    may be up to 16,384 characters before it.
    """
    first = max(0, start - _BEFORE_PART)
    return masked(text[first : end + _BEHIND_PART])[start - first : max(start, end) - first]


def _known(text: str) -> Sequence[Found]:
    """The secrets of a text, looked for once where the text comes again soon.

    A log has most texts several times: as the result of a call, in its blocks, in a diff.
    """
    if len(text) <= _SHORT_TEXT:
        return _of_short(text)
    return _of_long(text) if len(text) <= _LONG_TEXT else name_secrets(text)


@lru_cache(maxsize=2048)
def _of_short(text: str) -> Sequence[Found]:
    return tuple(name_secrets(text))


@lru_cache(maxsize=16)
def _of_long(text: str) -> Sequence[Found]:
    return tuple(name_secrets(text))


def masked_patch(patch: str, note: Note | None = None) -> str:
    """A patch with the secrets in its texts masked; signs of its lines are no part of them."""
    lines = patch.split("\n")
    signs = [line[:1] if line[:1] in _SIGNS else "" for line in lines]
    texts = "\n".join(line[len(sign) :] for line, sign in zip(lines, signs, strict=True))
    hidden = masked(texts, note).split("\n")
    return "\n".join(sign + line for sign, line in zip(signs, hidden, strict=True))


def across_lines(lines: Sequence[str]) -> Iterator[tuple[int, Found]]:
    """The parts of lines in which a secret is that takes several of them, as a key does.

    Each is given with the index of its line. Where all lines begin with the sign of a diff, these
    are no part of their text.
    """
    skip = int(all(line[:1] in _SIGNS or line[:1] == "\\" for line in lines))
    starts = [0, *accumulate(len(line) - min(skip, len(line)) + 1 for line in lines)]
    text = "\n".join(line[skip:] for line in lines)
    for start, end, rule in _known(text):
        first, last = bisect_right(starts, start) - 1, bisect_right(starts, end - 1) - 1
        for at in range(first, last + 1) if first < last else ():
            begin = max(start - starts[at], 0)
            stop = min(end, starts[at + 1] - 1) - starts[at]
            if begin < stop:
                yield at, (begin + skip, stop + skip, rule)


def masked_bytes(data: bytes) -> bytes:
    """Bytes with their secrets masked, each at its place."""
    text = data.decode("utf-8", "surrogateescape")
    parts: list[bytes] = []
    position = 0
    for start, end, _ in _known(text):
        parts.append(_bytes(text[position:start]))
        parts += (_bytes(covered(char)) * len(_bytes(char)) for char in text[start:end])
        position = end
    return b"".join([*parts, _bytes(text[position:])]) if parts else data


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def covered(text: str) -> str:
    """A mask for a secret: as long as it, its white space kept."""
    return "".join(char if char.isspace() else MASK for char in text)


def _quoted(text: str) -> Iterator[Found]:
    if "\\" in text and any(_stated(_without_escapes(text))):
        reading = Reading(_unescaped(text))
        yield from _back(reading, _stated(reading.text))


def _without_escapes(text: str) -> str:
    """The text without escapes, a zero character as a backslash, so that no match is missed."""
    text = text.replace(r"\\", "\0").replace(r"\"", '"').replace(r"\/", "/")
    for sign, meant in _MEANT.items():
        text = text.replace(f"\\{sign}", meant)
    return text.replace("\0", "\\")


def _stated(text: str) -> Iterator[Found]:
    yield from _shaped(searched_text(text), _STATED)


def _unescaped(text: str) -> Iterator[tuple[Span, str]]:
    position = 0
    for match in _ESCAPES.finditer(text):
        yield (position, match.start()), text[position : match.start()]
        yield match.span(), _MEANT.get(match[1], match[1])
        position = match.end()
    yield (position, len(text)), text[position:]


def _escaped(text: str) -> Iterator[Found]:
    """Secrets in texts whose signs are written as in addresses: `%3D` for `=`."""
    for match in _ESCAPED.finditer(text):
        if "%" in match[0]:
            parts = (part.span() for part in _ESCAPED_PART.finditer(text, *match.span()))
            plain = ((span, unquote(text[slice(*span)], errors="replace")) for span in parts)
            reading = Reading(plain)
            yield from _back(reading, _stated(reading.text))


def _encoded(text: str) -> Iterator[Found]:
    """Words that are secrets, or texts with secrets, in base64 or in hexadecimal."""
    for at in runs(text, _LETTER_CLASSES, _LEAST_LETTERS):
        match = _ENCODED.match(text, at)
        if match is None:
            continue
        word = match[0]
        plain = _decoded(word)
        if plain is not None:
            if any(_stated(plain)):
                yield *match.span(), _BASE64
        elif _NUMBERS.fullmatch(word) is not None:
            plain = bytes.fromhex(word).decode("latin-1")
            if _READABLE.match(plain) is not None and any(_stated(plain)):
                yield *match.span(), _HEXADECIMAL


def _decoded(word: str) -> str | None:
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    word = word[: len(word) - (len(word) % 4 == 1)]
    try:
        data = base64.b64decode(word + "=" * (-len(word) % 4))
        plain = data.decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    return plain if _READABLE.match(plain) is not None else None
