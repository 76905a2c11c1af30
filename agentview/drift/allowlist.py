"""The list of keys that fixtures are kept of."""

import re
from pathlib import Path

from agentview.domain.value import Value
from agentview.errors import NotFound, Unreadable


class Allowlist(Value):
    """Keys that are wanted; None for all of them. `provider` leaves out those of others."""

    pattern: re.Pattern[str] | None = None
    provider: str | None = None

    def allows(self, key: str) -> bool:
        """Whether a key is wanted."""
        if self.provider is not None and key.split("/")[1:2] != [self.provider]:
            return False
        return self.pattern is None or self.pattern.fullmatch(key) is not None


def read_allowlist(path: Path, provider: str | None = None) -> Allowlist:
    """The keys of a file, one a line; `*` is any part, `#` begins a remark.

    Raises NotFound and Unreadable.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path}.") from error
    except (OSError, ValueError) as error:
        raise Unreadable(f"Cannot read {path}: {error}.") from error
    return allowlist_of(text, provider)


def allowlist_of(text: str, provider: str | None = None) -> Allowlist:
    """The keys that a text lists."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    keys = [re.escape(line).replace(r"\*", "[^/]*") for line in lines if line]
    return Allowlist(re.compile("|".join(keys) or "(?!)"), provider)
