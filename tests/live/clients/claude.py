"""Claude Code."""

import re
from collections.abc import Callable

from tests.live.client import Answer, Background, Client, Place, Prompt, Request, ToolCall
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write

_PLAN_FILE = re.compile(r'/[^"\\\s]*/plans/[\w.-]+\.md')
"""Where the client wants a plan to be written, by its own instructions."""


def _prepare(place: Place) -> None:
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    place.write(
        ".claude.json",
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "numStartups": 5,
            "customApiKeyResponses": {"approved": ["scripted"], "rejected": []},
            "projects": {str(place.repository): project},
        },
    )
    place.write(".claude/settings.json", {"permissions": {"defaultMode": "default"}})


def _environment(place: Place) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": "scripted",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _answers(action: Action, place: Place) -> tuple[Callable[[Request], Answer], ...]:
    def call(name: str, **arguments: object) -> Callable[[Request], Answer]:
        return lambda _: ToolCall(name, arguments)

    match action:
        case Run(command):
            return (call("Bash", command=command, description="Run a command"),)
        case Write(name, text):
            return (call("Write", file_path=str(place.repository / name), content=text),)
        case Ask(question):
            options = [{"label": name, "description": name} for name in ("Red", "Blue")]
            asked = {"question": question, "header": "Color", "multiSelect": False}
            return (call("AskUserQuestion", questions=[{**asked, "options": options}]),)
        case Delegate(conversation):
            prompt = f"Do the work. [[{conversation}]]"
            return (call("Agent", description="Does the work", prompt=prompt),)
        case Plan(text):

            def written(request: Request) -> Answer:
                path = _PLAN_FILE.findall(request.body)[-1]
                return ToolCall("Write", {"file_path": path, "content": text})

            tools = "select:EnterPlanMode,ExitPlanMode"
            return (
                call("ToolSearch", query=tools, max_results=5),
                call("EnterPlanMode"),
                written,
                call("ExitPlanMode"),
            )


CLAUDE = Client(
    name="claude",
    label="Claude Code",
    package="@anthropic-ai/claude-code",
    program="node_modules/.bin/claude",
    arguments=(),
    prepare=_prepare,
    environment=_environment,
    answers=_answers,
    shown={
        Prompt.READY: r"shortcuts|❯",
        Prompt.COMMAND: r"Do you want",
        Prompt.FILE: r"Do you want",
        Prompt.AGENT: r"Do you want",
        Prompt.QUESTION: r"Blue",
        Prompt.PLAN: r"Would you like to proceed|Ready to code",
        Prompt.FAILED: r"API Error",
    },
    clear="/clear",
    leave="/exit",
    background=Background(("--bg",), ("agents", "--json"), r'"state": "blocked"'),
)
