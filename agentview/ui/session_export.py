"""Writes the open session to a file, masked, in a worker; says where, and what came of it."""

import asyncio
import os
import secrets
from collections.abc import Callable

from textual.message import Message

from agentview.errors import AgentViewError
from agentview.system.workers.process import worker_process
from agentview.ui.page.export_worker import FileRequest
from agentview.ui.timeline.export_bar import ExportBar

_WORKER = "agentview.ui.page.export_worker:serve"


async def export_session(asked: Message, say: Callable[[str], None]) -> None:
    """Write the file of an `ExportBar.Submitted`; nothing is left where it fails or is given up."""
    if not isinstance(asked, ExportBar.Submitted):
        return
    path = asked.path
    say(f"exporting to {path} …")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    done, said = False, "the export ended early"
    try:
        async with worker_process(_WORKER) as process:
            await process.send(FileRequest(asked.session, asked.wanted, part))
            async for message in process.messages():
                done, said = message
        if done:
            # Fails where the file is there by now: nothing is overwritten.
            await asyncio.to_thread(os.link, part, path)
    except (OSError, AgentViewError) as error:
        done, said = False, getattr(error, "strerror", None) or str(error)
    finally:
        part.unlink(missing_ok=True)
    say(f"exported to {path}; {said}" if done else f"not exported: {path}: {said}")
