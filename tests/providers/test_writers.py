"""Whose folder a file is in: by the environment of the moment, through links, in copied homes."""

from pathlib import Path

import pytest

from agentview.providers.folders import writers


def test_folders_say_whose_files_are_in_them(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path / "home")}
    for folder, names in {
        "home/.claude/projects/-p": ("claude_code",),
        "home/.codex/sessions/2026": ("codex",),
        "copies/ada/.codex/sessions": ("codex",),
        "copies/ada/.codexes/sessions": (),
        "home": (),
    }.items():
        for name in ("a.jsonl", "b.jsonl"):
            assert writers(tmp_path / folder / name, env) == names, folder


def test_a_folder_that_is_named_later_counts_at_once(tmp_path: Path) -> None:
    path = tmp_path / "elsewhere" / "sessions" / "a.jsonl"
    env = {"HOME": str(tmp_path)}
    assert writers(path, env) == ()
    assert writers(path, env | {"CODEX_HOME": str(tmp_path / "elsewhere")}) == ("codex",)
    assert writers(path, env | {"OTHER": str(tmp_path / "elsewhere")}) == ()


def test_a_link_is_in_the_folder_that_it_leads_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / ".codex" / "sessions" / "a.jsonl"
    real.parent.mkdir(parents=True)
    real.touch()
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    assert writers(link, {"HOME": str(tmp_path)}) == ("codex",)
    monkeypatch.chdir(real.parent)
    assert writers(Path("a.jsonl"), {}) == ("codex",)
