"""The clients that are known to the run."""

from tests.live.client import Client
from tests.live.clients.claude import CLAUDE
from tests.live.clients.codex import CODEX, CODEX_ALONE

CLIENTS: tuple[Client, ...] = (CLAUDE, CODEX, CODEX_ALONE)
