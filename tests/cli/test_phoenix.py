"""What Arize Phoenix, a receiver of OpenTelemetry, makes of sessions; where it is installed."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from math import isclose
from pathlib import Path

import pytest

from tests.cli.conftest import CommandLine
from tests.patience import PATIENCE

PHOENIX = shutil.which("phoenix")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PHOENIX is None, reason="see CONTRIBUTING.md: pipx install arize-phoenix"),
]


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture
def phoenix(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A running Phoenix: its URL, and the database that it writes."""
    folder, port = tmp_path / "phoenix", _free_port()
    folder.mkdir()
    env = os.environ | {
        "PHOENIX_WORKING_DIR": str(folder),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(port),
        "PHOENIX_GRPC_PORT": str(_free_port()),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen([str(PHOENIX), "serve"], stdout=log, stderr=log, env=env)
    url, end = f"http://127.0.0.1:{port}", time.monotonic() + PATIENCE
    while not _answers(url):
        assert process.poll() is None, (folder / "log").read_text()
        assert time.monotonic() < end
        time.sleep(0.5)
    yield url, folder / "phoenix.db"
    process.terminate()
    process.wait(timeout=PATIENCE)


def _received(database: Path) -> tuple[int, int, int]:
    with closing(sqlite3.connect(database)) as connection:
        (found,) = connection.execute(
            "SELECT count(*), sum(llm_token_count_prompt), sum(llm_token_count_completion)"
            " FROM spans"
        )
    return found[0], found[1] or 0, found[2] or 0


def test_it_has_what_stats_counts_also_when_it_is_sent_twice(
    agentview: CommandLine, projects: Path, phoenix: tuple[str, Path]
):
    url, database = phoenix
    printed = agentview.ok("events", "@all", "--format", "otlp").splitlines()
    spans = sum(
        len(json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"]) for line in printed
    )
    stats = json.loads(agentview.ok("stats", "--json"))
    for _ in range(2):
        agentview.ok("events", "@all", "--format", "otlp", "--endpoint", url)
        end = time.monotonic() + PATIENCE
        while _received(database)[0] < spans:
            assert time.monotonic() < end
            time.sleep(0.2)
    count, given, output = _received(database)
    assert count == spans
    assert given + output == stats["total"]["tokens"]
    with closing(sqlite3.connect(database)) as connection:
        found = connection.execute("SELECT attributes FROM spans").fetchall()
    usages = (json.loads(text).get("agentview", {}).get("usage", {}) for (text,) in found)
    assert isclose(sum(usage.get("cost_estimate", 0.0) for usage in usages), stats["cost"])
