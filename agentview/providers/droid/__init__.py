"""Factory Droid: its session files, and the JSON that `droid exec` prints."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Provider, Reading
from agentview.providers.droid.discovery import DISCOVERY
from agentview.providers.droid.hooks import HOOK_REPORTS


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.droid.decode import LINES
    from agentview.providers.droid.tools import RESULTS, SPECS

    return make_reading(LINES.events, lines=LINES, tools=SPECS, results=RESULTS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Droid",
    agent="droid",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "images", "reasoning", "compaction"),
    hook_reports=HOOK_REPORTS,
    has_linked_events=True,
    resume_command=resume_with("droid", "--resume"),
)
