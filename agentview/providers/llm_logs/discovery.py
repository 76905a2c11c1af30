"""Where conversations are: one database for all of them."""

from collections.abc import Sequence

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import Fields
from agentview.providers._kit.database_logs import DatabaseLogs
from agentview.providers.llm_logs.database import DATABASE


class Conversations(DatabaseLogs):
    """The conversations of the database."""

    endings = ("logs.db",)

    def saved_session(self, rows: Sequence[Fields]) -> Fields:
        return {"id": next((text(row, "conversation") for row in rows), None)}


DISCOVERY = Conversations("llm_logs", DATABASE)
