"""Names whose values are secret, for what is kept in files and handed on."""

import re
from functools import lru_cache

STRONG = (
    r"(?:pass(?:words?|wds?|phrases?|codes?)|pwd|(?<=[_-])pass|secrets?"
    r"|api[_-]?keys?|access[_-]?keys?(?:[_-]?id)?|private[_-]?keys?(?:[_-]?id)?"
    r"|(?:secret|encryption|signing|account|master|shared|storage|client|service|license"
    r"|app|application|subscription|function|admin|publish|authentication)[_-]?keys?"
    r"|key[_-]?data|(?:secret[_-]?)?key[_-]?base|auth[_-]?keys?|(?<=[_-])salt|secret[_-]?(?:string|value|binary)|(?:store|key)pass|pre[_-]?shared[_-]?key|psk"
    r"|credentials?|connection[_-]?strings?|mnemonic|seed[_-]?phrase|webhook[_-]?url)"
)
"""Ends of names whose values are secret, whatever they are."""

WEAK = (
    r"(?:tokens?|auth|cookies?|bearer|sig|signature|dsn|session[_-]?key|jwt|otp|(?<![a-z])creds?)"
)
"""Ends of names whose values are secret unless they are numbers, which are counts."""

NAME = f"{STRONG}|{WEAK}"

STRONG_SIGNS = (
    "pass", "pwd", "secret", "key", "psk", "credential", "connection", "mnemonic", "seed",
    "webhook", "salt",
)  # fmt: skip
WEAK_SIGNS = ("token", "auth", "cookie", "bearer", "sig", "dsn", "session", "jwt", "otp", "cred")
NAME_SIGNS = (*STRONG_SIGNS, *WEAK_SIGNS)
"""One of them is in each such name in lower case."""
NAME_BEFORE = 16
"""Characters that such a name may have before its sign."""
NAME_AHEAD = "[a-z_-]{2,20}+"
"""The rest of such a name from its sign on."""

_SECRET_NAME = re.compile(rf"(?i:{NAME}|authorization|^pass)$|[a-z](?:Pass|Pwd|Pw|Creds)$")
_STRONG_NAME = re.compile(rf"(?i:{STRONG}|authorization|^pass)$|[a-z](?:Pass|Pwd|Pw)$")
_ID_NAME = re.compile(r"(?:^|[a-z_-])(?:[iI]ds?|IDs?|[uU][uU][iI][dD]s?)$")


@lru_cache(maxsize=4096)
def is_secret_name(name: str, *, number: bool = False) -> bool:
    """True if the value of a key is secret; of names that may be counts not when it is a number."""
    return (_STRONG_NAME if number else _SECRET_NAME).search(name) is not None


def is_id_name(name: str) -> bool:
    """True if the value of a key is one by which records are joined, however random it looks."""
    return _ID_NAME.search(name) is not None and not is_secret_name(name)
