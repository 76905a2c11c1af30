"""Cline's command line."""

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import OPTION_SHOWN, OPTIONS, Answers, call
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _prepare(place: Place) -> None:
    settings = {
        "provider": "openai-native",
        "apiKey": "scripted",
        "model": "scripted",
        "baseUrl": f"{place.url}/v1",
    }
    known = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    place.write(
        ".cline/data/settings/providers.json",
        {"version": 1, "lastUsedProvider": "openai-native", "providers": {"openai-native": known}},
    )


def _environment(_: Place) -> dict[str, str]:
    return {"CLINE_TELEMETRY_DISABLED": "1"}


def _answers(action: Action, place: Place) -> Answers:
    match action:
        case Run(command):
            return call("run_commands", {"commands": [command]})
        case Write(name, text):
            lines = "".join(f"+{line}\n" for line in text.splitlines())
            target = place.repository / name
            patch = f"*** Begin Patch\n*** Add File: {target}\n{lines}*** End Patch"
            return call("apply_patch", {"input": patch})
        case Ask(question):
            return call("ask_question", {"question": question, "options": list(OPTIONS)})
        case Delegate() | Plan():
            return ()


CLINE = Client(
    name="cline",
    label="Cline",
    package="cline",
    program="node_modules/.bin/cline",
    arguments=("--auto-approve", "false", "--provider", "openai-native", "--model", "scripted"),
    prepare=_prepare,
    environment=_environment,
    answers=_answers,
    shown={
        Prompt.READY: r"scripted",
        Prompt.COMMAND: r"Approve tool call",
        Prompt.FILE: r"Approve tool call",
        Prompt.QUESTION: OPTION_SHOWN,
        Prompt.FAILED: r"scripted error|400",
    },
    clear="/clear",
    leave="/quit",
)
