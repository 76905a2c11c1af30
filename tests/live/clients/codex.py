"""Codex, with its background service and without."""

import json
from collections.abc import Callable

from tests.live.client import Answer, Client, Place, Prompt, Request, ToolCall
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write

_MODEL = "gpt-6.1-sol"
"""A model that the client has scripts run for, as its newest ones do."""


def _prepare(place: Place) -> None:
    place.write(
        ".codex/config.toml",
        f"""\
model = "{_MODEL}"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[feedback]
enabled = false
[projects."{place.repository}"]
trust_level = "trusted"
[model_providers.scripted]
name = "scripted"
base_url = "{place.url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 2
stream_max_retries = 2
""",
    )


def _environment(_: Place) -> dict[str, str]:
    return {"SCRIPTED_KEY": "scripted"}


def _called(request: Request, name: str, arguments: dict[str, object]) -> ToolCall:
    """The call of a tool, or the script that calls it where the client offers only scripts."""
    if name in request.offered or "exec" not in request.offered:
        return ToolCall(name, arguments)
    script = f"const r = await tools.{name}({json.dumps(arguments)}); text(r.output);"
    return ToolCall("exec", {"input": script}, is_freeform=True)


def _patch(request: Request, patch: str) -> ToolCall:
    if "apply_patch" in request.offered:
        return ToolCall("apply_patch", {"input": patch}, is_freeform=True)
    script = f"text(await tools.apply_patch({json.dumps(patch)}));"
    return ToolCall("exec", {"input": script}, is_freeform=True)


def _answers(action: Action, place: Place) -> tuple[Callable[[Request], Answer], ...]:
    match action:
        case Run(command):
            escalated: dict[str, object] = {
                "cmd": command,
                "sandbox_permissions": "require_escalated",
                "justification": "May I run this?",
                "yield_time_ms": 30000,
            }
            return (lambda request: _called(request, "exec_command", escalated),)
        case Write(name, text):
            lines = "".join(f"+{line}\n" for line in text.splitlines())
            target = place.home / name
            patch = f"*** Begin Patch\n*** Add File: {target}\n{lines}*** End Patch"
            return (lambda request: _patch(request, patch),)
        case Ask(question):
            options = [{"label": name, "description": name} for name in ("Red", "Blue")]
            asked = {"id": "color", "header": "Color", "question": question, "options": options}
            return (lambda _: ToolCall("request_user_input", {"questions": [asked]}),)
        case Delegate(conversation):
            message = f"Do the work. [[{conversation}]]"
            spawned = {"task_name": "worker", "message": message, "fork_turns": "none"}
            waits = {"timeout_ms": 60000}
            return (
                lambda _: ToolCall("spawn_agent", spawned, "collaboration"),
                lambda _: ToolCall("wait_agent", waits, "collaboration"),
            )
        case Plan(text):
            return (lambda _: f"<proposed_plan>\n{text}</proposed_plan>",)


def _codex(name: str, label: str, arguments: tuple[str, ...]) -> Client:
    return Client(
        name=name,
        label=label,
        package="@openai/codex",
        program="node_modules/.bin/codex",
        arguments=(*arguments, "-a", "on-request", "-s", "workspace-write"),
        prepare=_prepare,
        environment=_environment,
        answers=_answers,
        shown={
            Prompt.READY: r"Ask Codex|›",
            Prompt.COMMAND: r"Would you like to run",
            Prompt.FILE: r"Would you like to (make|apply|edit)",
            Prompt.AGENT: r"Would you like to run|Approval needed",
            Prompt.QUESTION: r"Blue",
            Prompt.PLAN: r"Implement this plan",
            Prompt.FAILED: r"scripted error|400",
        },
        clear="/new",
        leave="/quit",
        plan_mode="/plan",
    )


CODEX = _codex("codex", "Codex", ())
CODEX_ALONE = _codex("codex-no-daemon", "Codex, --no-daemon", ("--no-daemon",))
