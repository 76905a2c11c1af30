"""Where conversations are: one database for all of them."""

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.forge.database import DATABASE


class Conversations(DatabaseLogs):
    """The conversations of the database."""

    endings = (".forge.db",)
    session_table = "conversations"


DISCOVERY = Conversations("forge", DATABASE)
