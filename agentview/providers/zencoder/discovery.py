"""Where sessions are, and whether a file is one: its first line describes it."""

from agentview.normalize.json_fields import text
from agentview.normalize.json_values import time_of
from agentview.providers._kit.discovery import LogFiles, first_record
from agentview.providers._kit.signatures import Signature
from agentview.providers.base import CERTAIN

_DATES = {"id": str, "createdAt": time_of, "updatedAt": time_of}


class Sessions(LogFiles):
    """Files of lines in one folder."""

    signatures = (
        Signature(CERTAIN, {**_DATES, "creationReason": str}, keys={"chatId"}, without={"role"}),
        Signature(
            0.5,
            _DATES,
            only={
                "id", "chatId", "modelId", "parentId", "creationReason", "createdAt", "updatedAt",
                "version",
            },
        ),
    )  # fmt: skip

    def session_id(self, head: bytes) -> str | None:
        return text(first_record(head), "id")


DISCOVERY = Sessions("zencoder")
