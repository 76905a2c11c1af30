"""Finds what is secret in a text, and masks it: one set of rules for every surface."""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from urllib.parse import unquote

from agentview.redaction.forms import (
    LAST,
    Found,
    SearchedText,
    SecretRule,
    SecretRules,
    Span,
    anycase,
    exact,
    merged,
    named,
    united,
)
from agentview.redaction.names import (
    NAME,
    NAME_SIGNS,
    STRONG,
    STRONG_SIGNS,
    WEAK,
    WEAK_SIGNS,
)
from agentview.redaction.places import PLACES
from agentview.redaction.wrapped import wrapped

# Tokens of vendors: what is secret by its own form, whatever is around it.
#
# The beginning of a token stays, since it identifies the vendor.


def _token(sign: str, rest: str) -> SecretRule:
    return exact(rf"(?<![A-Za-z0-9]){re.escape(sign)}({rest})", sign)


_LONG = (
    "sbp_", "sb_secret_", "nfp_", "HRKU-", "fm2_", "dp.pt.", "dp.st.", "pscale_tkn_", "pscale_pw_",
    "NRAK-", "sntrys_", "sntryu_", "ATATT3x", "ATBB", "figd_", "PMAK-", "pul-", "rubygems_",
    "glsa_", "glc_", "sq0csp-", "sq0atp-", "api_org_", "tgp_v1_", "nvapi-", "csk-", "lsv2_pt_",
    "pcsk_", "tskey-", "CFPAT-", "CCIPAT_", "xkeysib-", "dckr_oat_", "dckr_pat_", "dt0c01.",
    "sqp_", "shpss_", "EAACEdEose0cBA",
)  # fmt: skip
"""Beginnings of tokens that continue with at least twenty characters, dots among them."""

_NAMED_LETTERS = (
    *(("gh" + letter + "_", r"[A-Za-z0-9]{30,255}") for letter in "pousr"),
    ("github_pat_", r"[A-Za-z0-9_]{22,255}"),
    *(
        (f"gl{kind}-", r"[\w.-]{20,}")
        for kind in ("pat", "ptt", "dt", "rt", "cbt", "ft", "oas", "soat", "imt", "agent")
    ),
    ("xapp-", r"[\w-]{10,}"),
    *((f"xox{letter}-", r"[\w-]{10,}") for letter in "abcdeoprs"),
    *(
        (f"https://hooks.slack.com/{kind}/", r"[\w/-]{20,}")
        for kind in ("services", "workflows", "triggers")
    ),
    # Model vendors.
    ("sk-ant-", r"[\w-]{16,}"),
    ("sk-", r"(?!ant-)(?=[\w-]{0,300}\d)[\w-]{20,}"),
    ("gsk_", r"[A-Za-z0-9]{20,}"),
    ("xai-", r"[A-Za-z0-9]{20,}"),
    ("pplx-", r"[A-Za-z0-9]{20,}"),
    ("r8_", r"[A-Za-z0-9]{30,}"),
    ("hf_", r"[A-Za-z0-9]{30,}"),
    # Google.
    ("AIza", r"[\w-]{35}"),
    ("ya29.", r"[\w-]{20,}"),
    ("GOCSPX-", r"[\w-]{20,}"),
    # Stripe.
    *((f"{kind}{mode}_", r"[A-Za-z0-9]{16,}") for kind in "sr" for mode in ("k_live", "k_test")),
    ("whsec_", r"[A-Za-z0-9+/=]{20,}"),
    # Package registries and services.
    ("npm_", r"[A-Za-z0-9]{36}"),
    ("pypi-", r"[\w-]{50,}"),
    ("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    *((f"do{letter}_v1_", r"[a-f0-9]{64}") for letter in "opr"),
    ("lin_api_", r"[A-Za-z0-9]{30,}"),
    ("ntn_", r"[A-Za-z0-9]{30,}"),
    ("secret_", r"(?=\w{0,60}\d)(?=\w{0,60}[A-Z])[A-Za-z0-9]{43}\b"),
    ("key-", r"[a-f0-9]{32}"),
    ("dapi", r"[a-f0-9]{32}"),
    *((f"hv{letter}.", r"[\w-]{24,}") for letter in "sbr"),
    *((f"shp{kind}_", r"[a-fA-F0-9]{32}") for kind in ("at", "ca", "pa")),
    ("AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    *((sign, r"[\w.-]{20,}") for sign in _LONG),
)  # fmt: skip
"""How a token begins and what follows."""

TOKENS = SecretRules(
    "token",
    exact(
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
        r"(.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY|\Z)",
        "PRIVATE KEY",
        near=False,
    ),
    # The end of a key whose beginning is not in the text.
    exact(
        r"(?<![A-Za-z0-9+/=])((?:[A-Za-z0-9+/=]{16,200}\r?\n)+)-----END [A-Z0-9 ]*PRIVATE KEY",
        "-----END ",
        near=False,
    ),
    *(exact(rf"\b{sign}([A-Z0-9]{{16}})\b", sign) for sign in ("AKIA", "ASIA", "ABIA", "ACCA")),
    *(_token(sign, rest) for sign, rest in _NAMED_LETTERS),
    # Twilio, Azure.
    exact(r"\b(?:SK|AC)([0-9a-f]{32})\b", "SK", "AC"),
    exact(r"(?<![\w~.-])([\w~.-]{3}\dQ~[\w~.-]{31,34})(?![\w~-])", "Q~"),
    # A UUID behind a vendor's sign.
    exact(
        r"(?<![A-Za-z0-9])(?:pat-\w{2,4}|[a-z0-9]{0,8}sk)-"
        r"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b",
        "sk-", "pat-",
    ),
    # Google refresh tokens, Mapbox, Discord, Telegram.
    exact(r"(?<![\w/])(1//0[\w-]{20,})", "1//0"),
    exact(r"\b[ps]k\.(eyJ[\w-]{8,}\.[\w-]{16,})", ".eyJ"),
    exact(r"discord(?:app)?\.com/api/webhooks/(\d+/[\w-]{20,})", "/api/webhooks/"),
    exact(r"\b\d{8,10}:(AA[\w-]{33})\b", ":AA"),
    # JSON web tokens.
    exact(r"\b(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?![\w-])))", "eyJ"),
    # Signatures and passwords in addresses.
    exact(r"[?&;](?:sig|Signature|X-Amz-Signature)=([\w%+/=-]{16,})", "sig=", "Signature="),
    exact(r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@\"']{0,200}:([^\s/@\"']{1,200})@", "://"),
)  # fmt: skip
"""Forms that are secret wherever they are, also in a part of a longer word."""

HOMES_RULE = "home directory"
HOMES = SecretRules(
    HOMES_RULE,
    exact(
        r"(?:(?<![\w.])/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})"
        r"((?!Shared\b)[^/\\\s\"':;,)<>]+)",
        "/home/", "/Users/", "\\Users\\",
    ),
)  # fmt: skip
"""Names of people, where they are those of home directories."""


# Statements: a name that says that its value is secret, and the value.

_IS = r"(?:\\*[\"'`])?\]?\s{0,3}(?:=>|:=|=|:|\\+u003[ad]|%3[ad])\s{0,3}"
"""What stands between a name and its value, a quote behind the name included."""

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
_SCHEME = r"(?:bearer|basic|token|negotiate|apikey|key)"
_VALUE = f"(?:{_QUOTED}|{_LIST}|{_OBJECT}|{_BARE})"

_VARIABLE = (
    r"[A-Z][A-Z0-9_]*(?:PASS|PASSWD|PASSWORD|PWD|PW|SECRET|TOKEN|KEY|AUTH|COOKIE|CREDENTIALS?"
    r"|CREDS|DSN|SALT|PAT)(?:_[A-Z0-9]+)?="
)

_VARIABLE_SIGNS = (
    "PASS", "PWD", "PW", "SECRET", "TOKEN", "KEY", "AUTH", "COOKIE", "CRED", "DSN", "SALT", "PAT",
)  # fmt: skip

STATEMENTS = SecretRules(
    "named value",
    named(STRONG, _IS + _VALUE, *STRONG_SIGNS),
    named(WEAK, _IS + _COUNT + _VALUE, *WEAK_SIGNS),
    # A line of an environment: all behind the name, spaces and signs included.
    exact(
        r"(?:^|\\[nrt0]|\\u0000|[\s\0→+|`(;&])(?:export |declare -x |set |setx |- )?"
        + _VARIABLE
        + r"(?!\$[({]|[/.~=])([^\r\n\\\0`]{1,500})",
        *_VARIABLE_SIGNS,
    ),
    exact(r"[\"']" + _VARIABLE + r"([^\r\n\\\"']{1,500})", *_VARIABLE_SIGNS),
    # A header has all that follows; an option of that name has one word of a shell.
    anycase(
        rf"(?<![\w-])--[\w-]{{0,40}}?{_HEADER}=(\\*[\"'])?(?:{_SCHEME}\s+)?{_SHELL_WORD}"
        rf"|(?:{_HEADER}|(?<![\w-])x-[\w-]{{0,40}}(?:key|token|auth|secret|session))"
        r"(?:\\*[\"'])?\s*[:=]\s*(?:\\*[\"'])?"
        rf"(?:{_SCHEME}\s+([^\s\"'\\,]+)"
        r"|(?:digest\s+)?([^\s\"'\\][^\"'\\\r\n]*))",
        "authorization", "cookie", "x-", "api-key",
        group=LAST,
    ),
    # Names that are words of the language too, where they are the whole key; names in camel case.
    exact(r"(?:^|[\s{,\"']|\\n)pass" + _IS + _COUNT + _VALUE, "pass", group=LAST),
    exact(r"[a-z](?:Pass|Pwd|Pw|Creds)" + _IS + _VALUE, "Pass", "Pwd", "Pw", "Creds", group=LAST),
    anycase(r"(?<![a-z])creds?" + _IS + r"(\{[^{}]{1,1000})", "cred"),
    # Words behind a name that begins its line, as notes have them; codes for one time.
    anycase(
        r"^[ \t>*#-]{0,20}(?:[\w.-]{1,30}[ _.-])?pass(?:word|phrase|code)[ \t]{0,3}[:=][ \t]{1,4}"
        + _CODE
        + r"([^\s\"'`{\[(<$][^\r\n\"'`=(]{3,200})$",
        "pass",
    ),
    anycase(
        r"\b(?:t?otp|one[ _-]time[ _-](?:code|password)|(?:verification|2fa|mfa)[ _-]?code)"
        r"\\*[\"']?\s{0,3}(?:is|[:=])\s{0,3}\\*[\"']?(\d{4,10})\b",
        "otp", "one", "verification", "2fa", "mfa",
    ),
    # A value that is cut off before its quote ends.
    named(STRONG, _IS + r"\\*[\"'`]([^\"'`\r\n]{4,500})(?=[\r\n`]|\Z)", *STRONG_SIGNS),
    named(STRONG, r"\(\s*" + _QUOTED, *STRONG_SIGNS),
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
    # A cookie has a name: other programs have an option `-b` too, such as `git checkout -b BRANCH`.
    exact(
        r"(?:\s-b|--cookie)[= ](?=(?:\\*[\"'])?[^\s\"'\\=;]{1,200}=[^\s\"'\\=])" + _SHELL_VALUE,
        "-b", "--cookie", group=2,
    ),
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
    exact(r"(\$(?:2[aby]|5|6|y|apr1|argon2\w*)\$[^\s:\"'\\]{20,})", "$"),
)  # fmt: skip


MASK = "*"

Note = Callable[[str], object]
"""Takes the name of the rule of each secret that is masked."""

_SIGNS = frozenset("+- ")
"""What lines of a patch begin with."""

_DIVIDED = "token divided by a line break"
_BASE64 = "secret in base64"

_COLOURS = re.compile(r"(?:\x1b|\\{1,16}(?:u001[bB]|x1[bB]|033|e))\[[0-9;:?]{0,40}[A-Za-z]")
"""What sets colours on a terminal, its first sign escaped or not: its last letter is not part of
the text that follows."""

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

_SHORT_TEXT, _LONG_TEXT = 8_192, 1_000_000
"""Characters up to which 2,048 texts are kept with their secrets, and up to which 16 are."""
_READABLE = re.compile(r"[\t\r\n -~]{12,}")


def find_secrets(text: str, *, homes: bool = True) -> list[Span]:
    """Start and end of all that is secret in a text, in order, none touching another.

    A secret has a vendor's form, a name before it, or a place in a command, a file or an address;
    it may be encoded, escaped, or coloured in parts. Hashes and ids are none by themselves. With
    `homes`, names of people in paths of home directories are found too.
    """
    return [(start, end) for start, end, _ in name_secrets(text, homes=homes)]


def name_secrets(text: str, *, homes: bool = True) -> list[Found]:
    """The same, each with the name of the rule that found it."""
    plain = without_colours(text)
    found = [*_in_colours(text, plain), *_stated(plain), *_encoded(plain)]
    if len(plain) <= _WRAPPED:
        found += [(*span, _DIVIDED) for span in wrapped(plain, find_tokens)]
    if homes:
        found += SearchedText(plain).found(HOMES)
    if "%" in plain:
        found += _escaped(plain)
    if plain.lstrip()[:1] in ("{", "[", '"') and _ESCAPES.search(plain) is not None:
        # Arguments as the log has them, say: rules for lines do not know an escaped line end.
        found += _quoted(plain)
    return united(found)


def prepare() -> None:
    """Compile all patterns now, which takes some tenths of a second, and not at their first use."""
    for forms in (TOKENS, STATEMENTS, PLACES, HOMES):
        forms.prepare()


def find_tokens(text: str) -> list[Span]:
    """The same, of what has a vendor's form alone: whatever is before or behind it."""
    return merged((start, end) for start, end, _ in name_tokens(text))


def name_tokens(text: str) -> list[Found]:
    """The same, each with the name of its form."""
    return united(SearchedText(without_colours(text)).found(TOKENS))


def find_quoted(text: str) -> Iterator[Span]:
    """Secrets in parts of a text that are quoted with escapes, as JSON is in an error about it."""
    if _ESCAPES.search(text) is not None:
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


def _quoted(text: str) -> Iterator[Found]:
    yield from _rewritten(_unescaped(text), _stated)


def _stated(text: str) -> Iterator[Found]:
    searched = SearchedText(text)
    yield from searched.found(TOKENS)
    yield from _named(searched)


def _named(searched: SearchedText) -> Iterator[Found]:
    yield from searched.found(STATEMENTS)
    yield from searched.found(PLACES)


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
            yield from _rewritten(plain, _stated)


def _in_colours(text: str, plain: str) -> Iterator[Found]:
    """Tokens of which a part has another colour, as what was searched for has."""
    if plain == text:
        return
    kept: list[tuple[Span, str]] = []
    position = 0
    for match in _COLOURS.finditer(text):
        kept.append(((position, match.start()), text[position : match.start()]))
        position = match.end()
    kept.append(((position, len(text)), text[position:]))
    yield from _rewritten(kept, lambda whole: SearchedText(whole).found(TOKENS))


def _rewritten(
    parts: Iterable[tuple[Span, str]], secrets: Callable[[str], Iterable[Found]]
) -> Iterator[Found]:
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

    for start, end, rule in secrets("".join(plain)):
        yield place_of(start)[0], place_of(end - 1)[1], rule


def _encoded(text: str) -> Iterator[Found]:
    """Words that are secrets, or texts with secrets, in base64."""
    for count, match in enumerate(_ENCODED.finditer(text)):
        if count == _ENCODED_LOOKS:
            return
        plain = _decoded(match[0])
        if plain is not None and any(_stated(plain)):
            yield *match.span(), _BASE64


def _decoded(word: str) -> str | None:
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    word = word[: len(word) - (len(word) % 4 == 1)]
    try:
        data = base64.b64decode(word + "=" * (-len(word) % 4))
        plain = data.decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    return plain if _READABLE.match(plain) is not None else None
