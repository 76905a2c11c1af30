"""Where conversations are: one database for all of them, next to other data of the client."""

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.kiro.amazon_q.database import DATABASE


class Conversations(DatabaseLogs):
    """The conversations of the database."""

    endings = ("data.sqlite3",)
    session_table = "conversations"


DISCOVERY = Conversations("amazon_q", DATABASE)
