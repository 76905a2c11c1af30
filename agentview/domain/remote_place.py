"""Names of places on other machines, as ssh takes them."""

import re
from urllib.parse import quote, unquote_to_bytes

from agentview.domain.session import SSH
from agentview.domain.value import Value
from agentview.errors import UsageError, inert

_PLACE = re.compile(
    r"(?:(?P<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)@)?"
    r"(?P<host>[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9]+)?\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<path>/.*)?\Z"
)
"""No name may begin with what begins an option, nor have what a shell or ssh would expand."""
_OPTIONS = ("-a", "-x")
"""Forward neither keys nor windows."""
_LONGEST = 80
"""Characters of a wrong name that an error repeats."""


class Place(Value):
    """A file on another machine."""

    host: str
    user: str | None = None
    port: str | None = None
    path: str | None = None
    """Absolute, or from the home directory on; None where only the machine is named."""

    @property
    def machine(self) -> str:
        """The name of the machine as `parse_place` takes it, with what leads to it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        user = "" if self.user is None else f"{self.user}@"
        return f"{SSH}{user}{host}" + ("" if self.port is None else f":{self.port}")

    @property
    def login(self) -> str:
        """The machine with its user, as an argument of ssh."""
        return self.host if self.user is None else f"{self.user}@{self.host}"

    def url(self, path: str) -> str:
        """The name of another file on the same machine, by its absolute path."""
        return self.machine + quote(path.encode("utf-8", "surrogateescape"))

    def command(self, *options: str) -> list[str]:
        """Return the command of ssh up to what is to run there: all names stand behind `--`."""
        port = () if self.port is None else ("-p", self.port)
        return ["ssh", *_OPTIONS, *options, *port, "--", self.login]


def is_folder(text: str) -> bool:
    """Return True for a folder of this machine, with a copy of the home of another one."""
    return text.startswith(("/", "~")) and text.isprintable()


def parse_place(target: str) -> Place:
    """Return the place of `ssh://[USER@]HOST[:PORT][/PATH]`; `/~/` is the home directory.

    Raises UsageError.
    """
    found = _PLACE.match(target.removeprefix(SSH))
    path = None if found is None else _path(found["path"] or "")
    if found is None or path is None or any(ord(char) < 32 or ord(char) == 127 for char in path):
        raise UsageError(
            f"{inert(target)[:_LONGEST]} names no log on another machine.",
            "The form is ssh://[USER@]HOST[:PORT]/PATH.",
        )
    if path.startswith("/~/"):
        path = f"./{path[3:]}"
    host = found["host"].strip("[]")
    return Place(host, found["user"], found["port"], path if path not in ("", "/") else None)


def _path(quoted: str) -> str:
    return unquote_to_bytes(quoted).decode("utf-8", "surrogateescape")
