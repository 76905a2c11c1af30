import os
from pathlib import Path

from agentview.library.scan import newest_first, scan_sessions, session_roots
from agentview.paths import sample_sessions_dir
from agentview.providers import load_provider, provider_names


def test_finds_every_sample_session_in_batches_that_add_up() -> None:
    roots = [(name, sample_sessions_dir() / name) for name in provider_names()]
    batches = list(scan_sessions(roots))
    assert batches[0].infos == ()
    paths = [info.ref.path for batch in batches for info in batch.infos]
    assert len(paths) == len(set(paths)) == batches[0].total > 0
    assert any(path.endswith("demo.jsonl") for path in paths)


def test_the_newest_file_comes_first() -> None:
    name = "claude_code"
    refs = newest_first(load_provider(name).scan(sample_sessions_dir() / name))
    times = [ref.modified or 0.0 for ref in refs]
    assert times == sorted(times, reverse=True)
    assert newest_first([*refs, *refs]) == refs


def test_stops_when_it_is_told_to() -> None:
    roots = [(name, sample_sessions_dir() / name) for name in provider_names()]
    calls: list[int] = []

    def stopped() -> bool:
        calls.append(1)
        return len(calls) > len(roots) + 1

    found = [info for batch in scan_sessions(roots, stopped) for info in batch.infos]
    assert found == []


def test_a_place_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    batches = list(scan_sessions([("claude_code", tmp_path / "none")]))
    assert {batch.total for batch in batches} == {0}
    assert [batch.done for batch in batches] == [False, True]


def test_each_place_is_named_once(tmp_path: Path) -> None:
    env = {**os.environ, "HOME": str(tmp_path)}
    roots = session_roots(env)
    real = [(name, os.path.realpath(root)) for name, root in roots]
    assert len(real) == len(set(real)) > 0
    assert session_roots(env, "claude_code")
