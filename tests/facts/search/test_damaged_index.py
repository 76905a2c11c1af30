"""A cache that is damaged in any way costs no result: it is left out, dropped and built again."""

import json
import random
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.facts.search.fts_index import index_path
from agentview.sessions.targets import session_query
from tests.claude_log import ClaudeLog, conversation, write

pytestmark = pytest.mark.slow

SESSIONS = [f"{number:08d}-aaaa-4aaa-8aaa-000000000001" for number in range(8)]


def _damaged(data: bytes) -> Iterator[bytes]:
    for seed in range(12):
        chance = random.Random(seed)  # noqa: S311
        flipped = bytearray(data)
        for _ in range(400):
            flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        yield bytes(flipped)
    yield from (data[: len(data) // 2], data[:100], b"", b"no database at all\n" * 500)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for session in SESSIONS:
        path = tmp_path / ".claude" / "projects" / "-p" / f"{session}.jsonl"
        write(path, conversation(ClaudeLog(session), 4))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AGENTVIEW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


def _run(*arguments: str) -> int:
    """A command as in a process of its own, which opens the catalogue itself."""
    session_query.catalogue.cache_clear()
    return main(arguments)


def _search(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    code = _run("search", "please", "--limit", "0", "--json", *options)
    assert code == 0
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return len(json.loads(out)), err


def test_a_damaged_index_costs_no_hit(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, _ = _search(capsys, "--index")
    (index,) = cache.glob("search-*.sqlite")
    good = index.read_bytes()
    noticed = 0
    for data in _damaged(good):
        for part in cache.glob("search-*.sqlite*"):
            part.unlink()
        index.write_bytes(data)
        found, said = _search(capsys)
        assert found == whole
        noticed += "damaged" in said
        assert _search(capsys, "--index")[0] == whole
        assert "damaged" not in _search(capsys)[1]
    assert noticed


def test_a_damaged_catalogue_costs_no_session(
    cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run("ls", "--json") == 0
    capsys.readouterr()
    path = cache / "catalogue.sqlite"
    for data in _damaged(path.read_bytes()):
        path.write_bytes(data)
        for _ in range(2):
            assert _run("ls", "--json") == 0
            out, err = capsys.readouterr()
            assert err == ""
            assert {each["id"] for each in json.loads(out)} == set(SESSIONS)


def test_nobody_else_may_read_what_is_kept(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache.mkdir(mode=0o755)
    for name in ("catalogue.sqlite", index_path().name):
        (cache / name).touch(mode=0o644)
    _search(capsys, "--index")
    for path in cache.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
