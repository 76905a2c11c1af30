"""Statements: a name that says that its value is secret, and the value."""

from agentview.redaction.forms import LAST, Forms, anycase, exact, named
from agentview.redaction.names import (
    NAME,
    NAME_SIGNS,
    STRONG,
    STRONG_SIGNS,
    WEAK,
    WEAK_SIGNS,
)

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
_SHELL_VALUE = r"(\\*[\"'])?((?(1)(?:(?!\1).){1,2000}|[^\s\\\"']{1,500}))"
_VALUE = f"(?:{_QUOTED}|{_LIST}|{_OBJECT}|{_BARE})"

_VARIABLE = (
    r"[A-Z][A-Z0-9_]*(?:PASS|PASSWD|PASSWORD|PWD|PW|SECRET|TOKEN|KEY|AUTH|COOKIE|CREDENTIALS?"
    r"|CREDS|DSN|SALT|PAT)(?:_[A-Z0-9]+)?="
)

_VARIABLE_SIGNS = (
    "PASS", "PWD", "PW", "SECRET", "TOKEN", "KEY", "AUTH", "COOKIE", "CRED", "DSN", "SALT", "PAT",
)  # fmt: skip

STATEMENTS = Forms(
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
    anycase(
        r"(?:authorization|cookie|(?<![\w-])x-[\w-]{0,40}(?:key|token|auth|secret|session)|api-key)"
        r"(?:\\*[\"'])?\s*[:=]\s*(?:\\*[\"'])?"
        r"(?:(?:bearer|basic|token|negotiate|apikey|key)\s+([^\s\"'\\,]+)"
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
    exact(r"(\$(?:2[aby]|5|6|y|apr1|argon2\w*)\$[^\s:\"'\\]{20,})", "$"),
)  # fmt: skip
