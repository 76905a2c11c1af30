"""Chat logs: messages of chat APIs and of what is built on them, wherever a program put them.

It is the last resort, for logs of programs that no other provider knows.
"""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.chat_log.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.chat_log.decode import LINES

    return make_reading(LINES.events, lines=LINES, tools={})


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Chat log",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=("role", "type")),
)
