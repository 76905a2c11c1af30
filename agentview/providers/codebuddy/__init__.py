"""CodeBuddy: sessions of its command line, and those of WorkBuddy, which is built on it."""

from agentview.providers.base import Provider, Reading
from agentview.providers.codebuddy.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.codebuddy.decode import LINES
    from agentview.providers.codebuddy.tools import SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="CodeBuddy",
    agent="codebuddy",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "subagents"),
    programs=("codebuddy",),
)
