"""The clients that are known to the run."""

from tests.live.client import Client
from tests.live.clients.claude import CLAUDE
from tests.live.clients.cline import CLINE
from tests.live.clients.codex import CODEX, CODEX_ALONE
from tests.live.clients.copilot import COPILOT
from tests.live.clients.gemini import GEMINI, QWEN
from tests.live.clients.kimi import KIMI
from tests.live.clients.opencode import KILO, OPENCODE
from tests.live.clients.pi import PI

CLIENTS: tuple[Client, ...] = (
    CLAUDE,
    CODEX,
    CODEX_ALONE,
    OPENCODE,
    GEMINI,
    QWEN,
    COPILOT,
    PI,
    KIMI,
    CLINE,
    KILO,
)
