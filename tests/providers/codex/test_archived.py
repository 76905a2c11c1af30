"""A rollout that the client has archived, compressed, is found and shown as it was."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentview.providers.codex import PROVIDER
from agentview.system.paths import sample_sessions_dir
from agentview.system.zstd import zstd

NAME = "rollout-2026-11-21T00-15-54-01a1fb6f-0000-7000-8000-000000000001.jsonl"


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    target = tmp_path / "plain" / NAME
    target.parent.mkdir()
    target.write_bytes((sample_sessions_dir() / "codex" / "demo.jsonl").read_bytes())
    return target


@pytest.fixture
def archived(tmp_path: Path, plain: Path) -> Path:
    target = tmp_path / "archived_sessions" / f"{NAME}.zst"
    target.parent.mkdir()
    target.write_bytes(zstd.compress(plain.read_bytes()))
    return target


def cat(path: Path) -> str:
    command = [sys.executable, "-m", "agentview", "cat", "--detail", "summary", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_it_is_found_with_what_its_plain_file_tells(plain: Path, archived: Path) -> None:
    (found,) = PROVIDER.scan(archived.parent)
    (other,) = PROVIDER.scan(plain.parent)
    assert (found.session_id, found.stream) == (other.session_id, other.stream)
    info, known = PROVIDER.info(found), PROVIDER.info(other)
    assert (info.project, info.model, info.started) == (known.project, known.model, known.started)


@pytest.mark.slow
def test_it_is_shown_as_its_plain_file_is(plain: Path, archived: Path) -> None:
    assert cat(archived) == cat(plain)
    assert len(cat(plain).splitlines()) > 10
