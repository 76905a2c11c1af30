"""GitHub Copilot CLI."""

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import OPTION_SHOWN, OPTIONS, Answers, call
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _environment(place: Place) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "scripted",
        "COPILOT_PROVIDER_MAX_PROMPT_TOKENS": "200000",
        "COPILOT_MODEL": "scripted",
        "COPILOT_AUTO_UPDATE": "false",
    }


def _prepare(place: Place) -> None:
    place.write(".copilot/config.json", {"trusted_folders": [str(place.repository)]})


def _answers(action: Action, place: Place) -> Answers:
    match action:
        case Run(command):
            described = {"command": command, "description": "Run a command"}
            return call("bash", {**described, "initial_wait": 30})
        case Write(name, text):
            return call("create", {"path": str(place.repository / name), "file_text": text})
        case Ask(question):
            color = {"type": "string", "enum": list(OPTIONS)}
            schema = {"type": "object", "properties": {"color": color}, "required": ["color"]}
            return call("ask_user", {"message": question, "requestedSchema": schema})
        case Delegate(conversation):
            prompt = f"Do the work. [[{conversation}]]"
            work = {"description": "Does the work", "prompt": prompt, "name": "worker"}
            return call("task", {**work, "agent_type": "general-purpose"})
        case Plan():
            return ()


COPILOT = Client(
    name="copilot",
    label="Copilot CLI",
    package="@github/copilot",
    program="node_modules/.bin/copilot",
    arguments=(),
    prepare=_prepare,
    environment=_environment,
    answers=_answers,
    shown={
        Prompt.READY: r"Enter @|Type @|❯|›",
        Prompt.COMMAND: r"Do you want to (run|execute)|Yes, and",
        Prompt.FILE: r"Do you want to (create|edit|allow)",
        Prompt.AGENT: r"Do you want to (run|execute)|Yes, and",
        Prompt.QUESTION: OPTION_SHOWN,
        Prompt.FAILED: r"scripted error|400",
    },
    clear="/clear",
    leave="/exit",
    stop=("Escape", "Escape"),
)
