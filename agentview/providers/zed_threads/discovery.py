"""Where threads are: one database for all of them."""

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.zed_threads.database import DATABASE


class Threads(DatabaseLogs):
    """The threads of the database."""

    endings = ("threads.db",)
    session_table = "threads"


DISCOVERY = Threads("zed_threads", DATABASE)
