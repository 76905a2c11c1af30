"""Pi, which asks for no permission."""

from tests.live.client import Client, Place, Prompt
from tests.live.clients.chat import Answers, call
from tests.live.script import Action, Ask, Delegate, Plan, Run, Write


def _prepare(place: Place) -> None:
    model = {
        "id": "scripted",
        "name": "Scripted",
        "reasoning": False,
        "input": ["text"],
        "cost": {"input": 1, "output": 2, "cacheRead": 0, "cacheWrite": 0},
        "contextWindow": 200000,
        "maxTokens": 8000,
    }
    provider = {
        "baseUrl": f"{place.url}/v1",
        "api": "openai-completions",
        "apiKey": "scripted",
        "models": [model],
    }
    place.write(".pi/agent/models.json", {"providers": {"scripted": provider}})


def _environment(_: Place) -> dict[str, str]:
    return {"PI_SKIP_VERSION_CHECK": "1", "PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


def _answers(action: Action, place: Place) -> Answers:
    match action:
        case Run(command):
            return call("bash", {"command": command})
        case Write(name, text):
            return call("write", {"path": str(place.repository / name), "content": text})
        case Ask() | Delegate() | Plan():
            return ()


PI = Client(
    name="pi",
    label="Pi",
    package="@earendil-works/pi-coding-agent",
    program="node_modules/.bin/pi",
    arguments=("--provider", "scripted", "--model", "scripted"),
    prepare=_prepare,
    environment=_environment,
    answers=_answers,
    shown={Prompt.READY: r"scripted", Prompt.FAILED: r"scripted error|400"},
    clear="/new",
    leave="/quit",
)
