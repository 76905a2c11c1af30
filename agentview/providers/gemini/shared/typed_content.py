"""What a person typed that is told to the model in the client's words."""

import re

from agentview.domain.events import SlashCommand

_RAN = re.compile(
    r"I ran the following shell command:\n```sh\n(.*?)\n```\n\n"
    r"This produced the following result:\n```\n(.*)\n```\s*",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\([\\`])")


def shell_command(text: str) -> SlashCommand | None:
    """The shell command that a person ran through the client (`!`), with its output."""
    match = _RAN.fullmatch(text)
    if match is None:
        return None
    command, output = (_ESCAPED.sub(r"\1", part) for part in match.groups())
    is_shell = True
    return SlashCommand(command, output=output, shell=is_shell)
