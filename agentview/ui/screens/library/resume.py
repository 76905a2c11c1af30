"""Copies the command that resumes a session; nothing runs it."""

import asyncio
from collections.abc import Callable
from shlex import quote

from textual.screen import Screen

from agentview.domain.remote_place import parse_place
from agentview.domain.session import SessionInfo
from agentview.ui.messages import CopyRequested
from agentview.ui.screens.home.options import LibraryViewOptions


async def copy_resume_command(
    screen: Screen[None], options: LibraryViewOptions, info: SessionInfo, say: Callable[[str], None]
) -> None:
    """Have the command copied, or say that the client has none."""
    line = await asyncio.to_thread(options.resume_line, info.ref, info.project)
    if line and info.ref.is_remote:
        line = " ".join([*map(quote, parse_place(info.ref.path).command("-t")), quote(line)])
    if line:
        screen.post_message(CopyRequested(line, "command that resumes it", say))
    else:
        say(f"{options.label(info.ref.provider)} has no command that resumes this session")
