"""Kimi Code."""

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import OPTION_SHOWN, Answers, call, labelled_options
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _prepare(place: Place) -> None:
    place.write(
        ".kimi-code/config.toml",
        f"""\
default_model = "scripted"
telemetry = false
[models.scripted]
provider = "scripted"
model = "scripted"
max_context_size = 200000
capabilities = ["tool_use"]
[providers.scripted]
type = "openai"
base_url = "{place.url}/v1"
api_key = "scripted"
""",
    )


def _environment(_: Place) -> dict[str, str]:
    return {"KIMI_CODE_NO_AUTO_UPDATE": "1"}


def _answers(action: Action, place: Place) -> Answers:
    match action:
        case Run(command):
            return call("Bash", {"command": command, "description": "Run a command"})
        case Write(name, text):
            return call("Write", {"path": str(place.repository / name), "content": text})
        case Ask(question):
            asked = {"question": question, "header": "Color", "options": labelled_options()}
            return call("AskUserQuestion", {"questions": [{**asked, "multi_select": False}]})
        case Delegate(conversation):
            prompt = f"Do the work. [[{conversation}]]"
            work = {"description": "Does the work", "prompt": prompt}
            return call("Agent", {**work, "subagent_type": "coder"})
        case Plan():
            return ()


KIMI = Client(
    name="kimi",
    label="Kimi Code",
    package="@moonshot-ai/kimi-code",
    program="node_modules/.bin/kimi",
    arguments=(),
    prepare=_prepare,
    environment=_environment,
    answers=_answers,
    shown={
        Prompt.READY: r"Trust this folder|scripted",
        Prompt.COMMAND: r"Approve once",
        Prompt.FILE: r"Approve once",
        Prompt.AGENT: r"Approve once",
        Prompt.QUESTION: OPTION_SHOWN,
        Prompt.FAILED: r"scripted error|400",
    },
    clear="/new",
    first_keys=("Enter",),
    leave="/exit",
)
