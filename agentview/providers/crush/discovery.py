"""Where sessions are: a database in each project, in the folders that the client lists."""

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.crush.database import DATABASE


class ProjectFolders(DatabaseLogs):
    """The sessions of the databases of projects."""

    endings = ("crush.db",)
    session_table = "sessions"


DISCOVERY = ProjectFolders("crush", DATABASE)
