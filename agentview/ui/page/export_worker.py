"""Writes a session to a file in a worker, secrets masked."""

from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.domain.value import Value
from agentview.errors import AgentViewError
from agentview.reports.export.document.mask_report import MaskReport
from agentview.reports.export.document.request import ExportRequest
from agentview.system.file_writing import write_new
from agentview.system.workers.connection import Connection
from agentview.timeline.view.format_numbers import counted
from agentview.ui.page.session_document import document


class FileRequest(Value):
    """A session, what of it is written, and to which file."""

    session: SessionRef
    wanted: ExportRequest
    path: Path


def serve(connection: Connection) -> None:
    """Write what is asked for; the answer is what came of it, in words without the file's name.

    The file must not be there; the parent deletes it where this process was ended.
    """
    asked: FileRequest = connection.receive()
    report = MaskReport()
    try:
        write_new(asked.path, document(asked.session, asked.wanted, report))
    except AgentViewError as error:
        connection.send((False, error.message))
    except OSError as error:
        connection.send((False, f"{error.strerror or error}"))
    else:
        connection.send((True, f"{counted(report.rules.total(), 'text')} masked"))
