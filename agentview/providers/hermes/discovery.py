"""Where sessions are: one database for all of them, in the client's folder."""

from collections.abc import Collection, Mapping

from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.hermes.database import DATABASE
from agentview.providers.hermes.decode import decode


class HermesFolder(DatabaseLogs):
    """The sessions of the client's database."""

    endings = ("state.db",)
    session_table = "sessions"
    optional: Mapping[str, Collection[str]] = {
        "sessions": tuple(key for key in DATABASE.tables[0].columns if key.startswith("all_")),
        "messages": ("kept", "undone", "observed"),
    }


DISCOVERY = HermesFolder("hermes", decode, DATABASE)
