"""Where sessions are: one database for all of them, in the data directory of its program."""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from agentview.domain.session import SessionRef
from agentview.normalize.session_state import LogHabits
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.sources.files import is_file_name
from agentview.sources.member import Database, member_of


class DataFolder(DatabaseLogs):
    """The sessions of programs that have folders of these names in the user's data directory."""

    habits = LogHabits(says_each_end=True, prompts_wait=True)
    optional: Mapping[str, Collection[str]] = {
        "message": ("parts", "refused"),
        "part": ("summary",),
    }

    def __init__(self, name: str, database: Database, folders: Sequence[str]) -> None:
        super().__init__(name, database)
        self.folders = folders

    def externalized_output(self, ref: SessionRef, recorded: str) -> Path | None:
        """The file with the whole of a large output, next to the database."""
        member = member_of(ref.path)
        return None if member is None else output_file(Path(member[0]).parent, recorded)

    def resume_command(self, ref: SessionRef) -> Sequence[str] | None:
        """Command that resumes the session; None for the session of a sub-agent."""
        return None if ref.parent_id is not None else (self._program(ref), "-s", ref.session_id)

    def _program(self, ref: SessionRef) -> str:
        """The program's name: a fork names its folder and its database after itself."""
        member = member_of(ref.path)
        if member is not None:
            database = Path(member[0])
            if database.stem == database.parent.name:
                return database.stem
        return self.name


def output_file(data_folder: Path, recorded: str) -> Path | None:
    """The file with the whole of a large output (`tool-output/<id>`), if it is there.

    Only the name counts of the path that the log states, and no link is followed.
    """
    name = re.split(r"[\\/]", recorded)[-1]
    if not is_file_name(name):
        return None
    file = data_folder / "tool-output" / name
    return file if file.is_file() and not file.is_symlink() else None
