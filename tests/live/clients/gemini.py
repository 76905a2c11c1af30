"""Gemini CLI, and Qwen Code, which is a fork of it."""

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import OPTION_SHOWN, Answers, call, labelled_options
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _prepare_gemini(place: Place) -> None:
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    place.write(
        ".gemini/settings.json",
        {
            "security": security,
            "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
        },
    )


def _gemini_environment(place: Place) -> dict[str, str]:
    return {
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": place.url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _prepare_qwen(place: Place) -> None:
    place.write(
        ".qwen/settings.json",
        {
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"enableAutoUpdate": False, "disableAutoUpdate": True},
        },
    )


def _qwen_environment(place: Place) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "scripted",
        "OPENAI_BASE_URL": f"{place.url}/v1",
        "OPENAI_MODEL": "scripted",
    }


def _gemini_answers(action: Action, place: Place) -> Answers:
    match action:
        case Run() | Write():
            return _common(action, place)
        case Ask(question):
            asked = {"question": question, "header": "Color", "type": "choice"}
            return call("ask_user", {"questions": [{**asked, "options": labelled_options()}]})
        case Delegate() | Plan():
            return ()


def _qwen_answers(action: Action, place: Place) -> Answers:
    match action:
        case Run() | Write():
            return _common(action, place)
        case Ask(question):
            asked = {"question": question, "header": "Color", "multiSelect": False}
            options = {"options": labelled_options()}
            return call("ask_user_question", {"questions": [{**asked, **options}]})
        case Delegate(conversation):
            prompt = f"Do the work. [[{conversation}]]"
            work = {"description": "Does the work", "prompt": prompt}
            return call("agent", {**work, "subagent_type": "general-purpose"})
        case Plan():
            return ()


def _common(action: Run | Write, place: Place) -> Answers:
    if isinstance(action, Write):
        path = str(place.repository / action.name)
        return call("write_file", {"file_path": path, "content": action.text})
    described = {"command": action.command, "description": "Run a command"}
    return call("run_shell_command", {**described, "is_background": False})


GEMINI = Client(
    name="gemini",
    label="Gemini CLI",
    package="@google/gemini-cli",
    program="node_modules/.bin/gemini",
    arguments=("--model", "gemini-2.5-pro"),
    prepare=_prepare_gemini,
    environment=_gemini_environment,
    answers=_gemini_answers,
    shown={
        Prompt.READY: r"Type your message",
        Prompt.COMMAND: r"Allow execution|Allow once|Yes, allow",
        Prompt.FILE: r"Apply this change|Allow once",
        Prompt.QUESTION: OPTION_SHOWN,
        Prompt.FAILED: r"scripted error|API Error",
    },
    clear="/clear",
    leave="/quit",
)
QWEN = Client(
    name="qwen",
    label="Qwen Code",
    package="@qwen-code/qwen-code",
    program="node_modules/.bin/qwen",
    arguments=("--approval-mode", "default", "--auth-type", "openai"),
    prepare=_prepare_qwen,
    environment=_qwen_environment,
    answers=_qwen_answers,
    shown={
        Prompt.READY: r"Type your message",
        Prompt.COMMAND: r"Allow execution|Allow once|Yes, allow",
        Prompt.FILE: r"Apply this change|Allow once|Yes, allow",
        Prompt.AGENT: r"Allow execution|Allow once|Yes, allow",
        Prompt.QUESTION: OPTION_SHOWN,
        Prompt.FAILED: r"scripted error|API Error",
    },
    clear="/clear",
    leave="/quit",
)
