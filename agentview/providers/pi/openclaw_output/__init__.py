"""OpenClaw's printed runs: what `openclaw agent --json` says of a run when it has ended."""

from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.pi.openclaw_output.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.pi.openclaw_output.decode import FORM
    from agentview.providers.pi.shared.tools import OPENCLAW_SPECS

    return make_reading(FORM.events, lines=FORM, tools=OPENCLAW_SPECS)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="OpenClaw output",
    agent="openclaw",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage", "cost"),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    record_type_keys=RecordTypeKeys(types=(), keys=("payloads",), protocol=lambda _: "stream"),
)
