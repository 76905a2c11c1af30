"""A session log that comes through a pipe, for the commands that need the whole of it."""

from collections.abc import Generator
from contextlib import contextmanager

from agentview.domain.session import SessionRef
from agentview.errors import Unreadable
from agentview.sessions.targets.log_file import file_session


@contextmanager
def piped_session(provider: str | None) -> Generator[SessionRef]:
    """The session that was piped in, once all of it is there; its file is gone after the block.

    Raises Unreadable when nothing comes, or what comes is not a session.
    """
    # Imported here: most sessions are files, and what waits takes a tenth of a short command.
    from agentview.cli.waits import wait_for
    from agentview.sources.pipe import PipeReader

    async def read_all() -> None:
        async for _ in reader.batches():
            pass

    with PipeReader() as reader:
        wait_for(read_all())
        if not reader.account.total:
            raise Unreadable("Standard input is empty.", "Pipe a session log into it.")
        yield file_session(reader.path, provider, "Standard input")
