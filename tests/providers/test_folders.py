"""Where sessions may be is known without importing a provider."""

import subprocess
import sys
from pathlib import Path

import pytest

from agentview.providers import folders, load_provider, provider_names, provider_roots

HOME = {"HOME": "/home/dev"}


def roots_of(text: str, env: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    file = tmp_path / "roots.txt"
    file.write_text(text)

    def own_file(_name: str, _file: str) -> Path:
        return file

    monkeypatch.setattr(folders, "own_file", own_file)
    return [str(each) for each in folders.declared_roots("any", env) or []]


@pytest.mark.parametrize(
    ("text", "env", "expected"),
    [
        ("~/.a/b", HOME, ["/home/dev/.a/b"]),
        ("~/Library/Application Support/a", HOME, ["/home/dev/Library/Application Support/a"]),
        ("~/gone.json list/folder | ~/.a", HOME, ["/home/dev/.a"]),
        ("~/.a/b", {"USERPROFILE": "/u"}, ["/u/.a/b"]),
        ("~/.a/b", {}, []),
        ("$A/b | ~/.a/b", {**HOME, "A": " /x "}, ["/x/b"]),
        ("$A/b | ~/.a/b", {**HOME, "A": " "}, ["/home/dev/.a/b"]),
        ("$A/b | ~/.a/b", {**HOME, "A": "not/absolute"}, ["/home/dev/.a/b"]),
        ("$A/b | ~/.a/b", {**HOME, "A": "~/x"}, ["/home/dev/x/b"]),
        ("$A/b", {**HOME, "A": "/x/b"}, ["/x/b"]),
        ("$A", {"A": "/"}, ["/"]),
        ("$A/b", {"A": "/"}, ["/b"]),
        ("$A[]/b", {"A": "/x, /y ,,/x"}, ["/x/b", "/y/b"]),
        ("$A/b", {"A": "/x,/y"}, ["/x,/y/b"]),
        ("~/Library/Application Support/b", HOME, ["/home/dev/Library/Application Support/b"]),
        ("~/Application Support/no.json list/key | ~/b", HOME, ["/home/dev/b"]),
        ("$A/..", {"A": "/x/file.jsonl"}, ["/x"]),
        (
            "%APPDATA%/Code/User",
            {"USERPROFILE": "/u", "APPDATA": "/u/Roaming"},
            [
                "/u/.config/Code/User",
                "/u/Library/Application Support/Code/User",
                "/u/Roaming/Code/User",
            ],
        ),
        (
            "%APPDATA%/a",
            {"USERPROFILE": "/u"},
            ["/u/.config/a", "/u/Library/Application Support/a", "/u/AppData/Roaming/a"],
        ),
        ("# ~/no\n\n~/a\n~/a\n~/b", HOME, ["/home/dev/a", "/home/dev/b"]),
    ],
)
def test_places_follow_from_the_environment(
    text: str,
    env: dict[str, str],
    expected: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    assert roots_of(text, env, monkeypatch, tmp_path) == expected


def test_a_declared_place_is_the_place_of_the_discovery():
    for name in provider_names():
        assert list(provider_roots(name, HOME)) == list(load_provider(name).discovery.roots(HOME))
    with pytest.raises(KeyError):
        provider_roots("nobody", HOME)


def test_a_provider_without_sessions_is_not_imported(tmp_path: Path):
    # The places of one of them are there.
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from agentview.sessions.library.scan.scanner import scan_sessions, session_roots\n"
        f"roots = session_roots({{'HOME': {str(tmp_path)!r}}})\n"
        "assert len({name for name, _ in roots}) > 5\n"
        "assert [batch.total for batch in scan_sessions(roots)] == [0, 0]\n"
        "start = 'agentview.providers.'\n"
        "names = [name.removeprefix(start) for name in sys.modules if name.startswith(start)]\n"
        "print(sorted({name.partition('.')[0] for name in names}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['_kit', 'base', 'codex', 'contained', 'folders']"
