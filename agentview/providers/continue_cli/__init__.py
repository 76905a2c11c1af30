"""Continue: sessions of its command line client and of its extensions, a JSON document each."""

from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, Provider, Reading, RecordTypeKeys
from agentview.providers.continue_cli.discovery import DISCOVERY


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.continue_cli.decode import FORM, decode
    from agentview.providers.continue_cli.tools import BY_KIND, SPECS

    return make_reading(decode, lines=FORM, tools=SPECS, results=BY_KIND)


PROVIDER = Provider(
    name="continue_cli",
    label="Continue",
    discovery=DISCOVERY,
    load_reading=_reading,
    records=("usage",),
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=resume_with("cn", "--fork", forks={".pearai": ()}),
    record_type_keys=RecordTypeKeys(types=("message/role",)),
)
