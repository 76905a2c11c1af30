"""Work on many sessions opens and lists a constant number of files for each, in all formats."""

import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agentview.domain.session import SessionRef
from agentview.domain.usage import Usage
from agentview.facts.usage.reader import measure
from agentview.providers import load_provider, provider_names, provider_roots
from agentview.providers.session_logs import session_logs
from agentview.sessions.library.scan.scanner import scan_sessions
from agentview.sources.one_look import found_once, looks_at_many, one_look
from agentview.system.paths import sample_sessions_dir

FEW, MANY = 3, 6
SPARE = 12
"""Files that are opened and names that are listed once, whatever the number of sessions."""
_MOST_BYTES = 300_000
_LOOKS = frozenset({"open", "os.scandir", "os.listdir", "sqlite3.connect"})


_NAMED = {
    "antigravity": ("demo.jsonl", "{}/.system_generated/logs/transcript.jsonl"),
    "cursor": ("demo.jsonl", "shop/agent-transcripts/{}.jsonl"),
    "cursor_chats": ("store.db", "shop/{}/store.db"),
    "gptme": ("demo.jsonl", "{}/conversation.jsonl"),
    "vscode_copilot": ("demo.json", "shop/chatSessions/{}.json"),
}
"""Samples of clients whose logs are known by their places, and such places."""


class _Count:
    """Files opened and names listed below a folder; an audit hook cannot be taken away."""

    below: str | None = None
    looks = 0

    def __call__(self, event: str, args: tuple[object, ...]) -> None:
        below, place = self.below, str(args[0]) if args else ""
        if below is None or event not in _LOOKS or below not in place:
            return
        self.below = None
        folder = Path(place)
        self.looks += len(list(folder.iterdir())) if folder.is_dir() else 1
        self.below = below


_count = _Count()
sys.addaudithook(_count)


@contextmanager
def counted(below: Path) -> Generator[None]:
    _count.below, _count.looks = str(below), 0
    try:
        yield
    finally:
        _count.below = None


def _units(samples: Path, provider: str) -> list[SessionRef]:
    """A session with agents and one without, the smallest of each."""
    loaded = load_provider(provider)
    found: dict[bool, tuple[int, SessionRef]] = {}
    for ref in loaded.scan(samples):
        size = Path(ref.path).stat().st_size if Path(ref.path).is_file() else 0
        if ref.parent_id is None and size < _MOST_BYTES:
            key = len(session_logs(loaded.discovery, ref)) > 1
            found[key] = min(found.get(key, (size, ref)), (size, ref), key=lambda each: each[0])
    return [ref for _, ref in found.values()]


def _write(provider: str, samples: Path, root: Path, count: int) -> None:
    if provider not in _NAMED:
        units = _units(samples, provider)
        assert units
        for ref in units:
            _copies(ref, provider, samples, root, count)
        return
    sample, form = _NAMED[provider]
    for number in range(count):
        place = root / form.format(f"01a1fb6e-f759-7ab3-a297-{number:012x}")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((samples / sample).read_bytes())


def _copies(ref: SessionRef, provider: str, samples: Path, root: Path, count: int) -> None:
    """So many sessions next to each other, with ids of their own, and with their agents."""
    log = Path(ref.path)
    while not log.exists():
        log = log.parent
    ids = {ref.session_id, log.name.partition(".")[0]}
    logs = session_logs(load_provider(provider).discovery, ref)
    ids |= {each.stream.id for each in logs if each.stream.id}
    ids = {each for each in ids if len(each) >= 8 and re.search(r"\d", each)}
    paths = {Path(each.path) for each in logs} | {log}
    files = [each for each in samples.rglob("*") if each.is_file()]
    for path in files:
        if any(path == each or each in path.parents for each in paths) or (
            len(logs) > 1 and any(each in str(path) for each in ids)
        ):
            for number in range(count):
                text, name = path.read_bytes(), str(path.relative_to(samples))
                for each in ids:
                    own = f"{each[:-4]}{int(each[-4:].encode().hex(), 16) % 4096 + number:04x}"
                    text = text.replace(each.encode(), own.encode())
                    name = name.replace(each, own)
                if name == str(path.relative_to(samples)):
                    name = f"{Path(name).parent}/{number}-{Path(name).name}"
                place = root / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(text)


def _unpriced(_model: str | None, _usage: Usage, _time: float | None) -> None:
    return None


def _looks(provider: str, root: Path) -> tuple[int, int]:
    """Sessions that are found, and how often something is opened or listed to count them all."""
    with counted(root):
        found = [
            facts.info.ref for batch in scan_sessions([(provider, root)]) for facts in batch.facts
        ]
        with one_look(len(found)):
            for ref in found:
                if ref.parent_id is None:
                    measure(ref, _unpriced)
    return len(found), _count.looks


@pytest.mark.parametrize("provider", provider_names())
def test_the_work_for_a_session_does_not_grow_with_the_number_of_sessions(
    provider: str, tmp_path: Path
):
    samples = sample_sessions_dir() / provider
    results: list[tuple[int, int]] = []
    for count in (FEW, MANY):
        home = tmp_path / str(count)
        places = provider_roots(provider, {"HOME": str(home)})
        root = places[0] if places else home / "sessions"
        _write(provider, samples, root, count)
        results.append(_looks(provider, root))
    (few, few_looks), (many, many_looks) = results
    assert few
    assert many == 2 * few
    assert many_looks <= 2 * few_looks + SPARE, results


def test_answers_are_kept_in_a_look_at_several_sessions_only():
    asked: list[int] = []

    @found_once
    def double(number: int) -> int:
        asked.append(number)
        return 2 * number

    with one_look(1):
        assert not looks_at_many()
        assert [double(1), double(1)] == [2, 2]
    with one_look(2):
        assert [double(3), double(3)] == [6, 6]
        with one_look(2):
            assert double(3) == 6
        assert looks_at_many()
        assert double(3) == 6
    assert double(3) == 6
    assert asked == [1, 1, 3, 3]
