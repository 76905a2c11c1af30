"""Where sessions are: one database for all, in the folder of what the editor keeps for a user."""

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.cursor.cursor_editor.database import DATABASE


class Composers(DatabaseLogs):
    """The sessions of the editor."""

    endings = (".vscdb",)
    session_table = "composer"


DISCOVERY = Composers("cursor_editor", DATABASE)
