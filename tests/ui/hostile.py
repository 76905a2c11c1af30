"""Text that tries to act on a terminal, and activities that are full of it."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, cast

from msgspec.structs import asdict, replace

from agentview.domain.value import Value

HOSTILE = (
    "[bold]markup[/bold] [/] [@click=app.quit]x[/]",
    "\x1b[31mred\x1b[0m \x1b[2J\x1b[10A\x1b[?1049h\x1b[5n",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x1b]52;c;aGVsbG8=\x07 \x1b]0;title\x07",
    "\x1bP+q544e\x1b\\ \x1b_apc\x1b\\ \x1b^pm\x1b\\ \x9b31m \x9d0;t\x9c \x90q\x9c",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200eL\u200fR\u061c",
    "zero\u200bwidth\u200c\u200d\ufeff\u2060 soft\xadhyphen",
    "combi\u0301ning e" + "\u0301\u0302\u0303\u0304" * 9,
    "\u0301leading mark",
    "nul\x00 bell\x07 back\x08\x08 del\x7f vt\x0b ff\x0c",
    "lone \ud83d surrogate \udc00",
    "tabs\tand\ttabs\t\tmore",
    "wide 日本語テキスト 한국어 ｆｕｌｌ",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f44d\U0001f3fd",
    "\U0001f1e9\U0001f1ea 1\ufe0f\u20e3",
    "line\u2028separator\u2029paragraph\x85next",
    "\r\rover\rwrite\r\nnext\rline\n\n\n",
    "# [a](javascript:x) ![i](\x1b]0;t\x07) <script>\n\n| a |\n|---|\n| \x1b[1m |",
    "```\x1b\n\x1b\n```\n    \x1b\n* * *\n1. \x1b\n   - \x07",
    "> " * 60 + "deep",
    '{"a": "\\u001b[31m", "b": [1, {"c": null}]}',
    " ",
    "",
    "\n",
    "x" * 1_000 + "\t" + "ü" * 1_000,
)

CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""What must never reach a terminal."""


def poisoned(value: Any, text: str) -> Any:
    """The value with every text in it replaced, in all members of all depths."""
    if isinstance(value, str) and not isinstance(value, Enum):
        return text
    if isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        return {f"{text}{n}": poisoned(item, text) for n, item in enumerate(members.values())}
    if isinstance(value, tuple):
        return tuple(poisoned(item, text) for item in cast("tuple[object, ...]", value))
    if isinstance(value, list):
        return [poisoned(item, text) for item in cast("list[object]", value)]
    if isinstance(value, Value):
        changed = {
            name: poisoned(each, text)
            for name, each in asdict(value).items()
            if name not in ("events", "id")
        }
        return replace(value, **changed)
    return value
