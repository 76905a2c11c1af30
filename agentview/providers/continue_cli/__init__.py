"""Continue: sessions of its command line client and of its extensions, a JSON document each."""

from agentview.providers._kit.provider import make_provider
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import Documents, RecordTypeKeys
from agentview.providers.continue_cli.decode import FORM, decode
from agentview.providers.continue_cli.discovery import DISCOVERY
from agentview.providers.continue_cli.tools import BY_KIND, SPECS

PROVIDER = make_provider(
    name="continue_cli",
    label="Continue",
    discovery=DISCOVERY,
    decode=decode,
    lines=FORM,
    tools=SPECS,
    results=BY_KIND,
    documents=Documents(begin=DISCOVERY.begins, split=DISCOVERY.split),
    resume_command=resume_with("cn", "--fork"),
    record_type_keys=RecordTypeKeys(types=("message/role",)),
)
