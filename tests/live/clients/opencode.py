"""OpenCode, and Kilo, which is a fork of it."""

from collections.abc import Callable

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import OPTION_SHOWN, Answers, call, labelled_options
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _prepare_for(name: str) -> Callable[[Place], None]:
    def prepare(place: Place) -> None:
        model = {
            "name": "Scripted",
            "tool_call": True,
            "limit": {"context": 200000, "output": 8000},
        }
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{place.url}/v1", "apiKey": "scripted"},
            "models": {"scripted": model},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "permission": {"edit": "ask", "bash": "ask"},
            "provider": {"scripted": provider},
        }
        for file in {"opencode", name}:
            place.write(f".config/{name}/{file}.json", settings)

    return prepare


def _environment(_: Place) -> dict[str, str]:
    return {
        f"{name}_{what}": "1"
        for name in ("OPENCODE", "KILO")
        for what in ("DISABLE_AUTOUPDATE", "DISABLE_MODELS_FETCH")
    } | {"KILO_TELEMETRY_LEVEL": "off"}


def _answers(action: Action, place: Place) -> Answers:
    match action:
        case Run(command):
            return call("bash", {"command": command, "description": "Run a command"})
        case Write(name, text):
            return call("write", {"filePath": str(place.repository / name), "content": text})
        case Ask(question):
            asked = {"question": question, "header": "Color", "options": labelled_options()}
            return call("question", {"questions": [asked]})
        case Delegate(conversation):
            prompt = f"Do the work. [[{conversation}]]"
            work = {"description": "Does the work", "prompt": prompt}
            return call("task", {**work, "subagent_type": "general"})
        case Plan():
            return ()


def _fork(
    name: str, label: str, package: str, program: str, *, refuse: tuple[str, ...] = ("Escape",)
) -> Client:
    return Client(
        name=name,
        label=label,
        package=package,
        program=program,
        arguments=(),
        prepare=_prepare_for(name),
        environment=_environment,
        answers=_answers,
        shown={
            Prompt.READY: r"Ask anything",
            Prompt.COMMAND: r"Permission required",
            Prompt.FILE: r"Permission required",
            Prompt.AGENT: r"Permission required",
            Prompt.QUESTION: OPTION_SHOWN,
            Prompt.FAILED: r"scripted error",
        },
        clear="/new",
        leave="/exit",
        stop=("Escape", "Escape"),
        refuse=refuse,
    )


OPENCODE = _fork("opencode", "OpenCode", "opencode-ai", "node_modules/.bin/opencode")
KILO = _fork(
    "kilo",
    "Kilo",
    "@kilocode/cli-linux-x64",
    "node_modules/@kilocode/cli-linux-x64/bin/kilo",
    # It asks what to do instead.
    refuse=("Escape", "Enter"),
)
