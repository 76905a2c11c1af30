"""Directories of projects are compared by what they mean."""

import time

import pytest

from agentview.normalize.project_path import last_part, path_parts, project_path


@pytest.mark.parametrize(
    ("recorded", "meant"),
    [
        ("file:///c%3A/Users/me/dev/demo%20one", "C:\\Users\\me\\dev\\demo one"),
        ("file:///home/me/demo", "/home/me/demo"),
        ("file://localhost/home/me/demo/", "/home/me/demo"),
        ("file://server/share/x", "\\\\server\\share\\x"),
        ("vscode-remote://wsl%2Bubuntu/home/me/demo", "/home/me/demo"),
        ("vscode-remote://ssh-remote%2Bhost/c%3A/x", "C:\\x"),
        ("k:\\work\\Shop", "K:\\work\\Shop"),
        ("k:/work/Shop/", "K:\\work\\Shop"),
        ("\\\\?\\k:\\work", "K:\\work"),
        ("c:", "C:\\"),
        ("/home/me/demo", "/home/me/demo"),
        ("/home/me/50%25/", "/home/me/50%25"),
        ("/", "/"),
        ("shop", "shop"),
        ("https://example.org/a%20b", "https://example.org/a%20b"),
        ("file:///a%00b", "file:///a%00b"),
        ("/a\0b", "/a\0b"),
        ("\x1b[2J", "\x1b[2J"),
        ("", ""),
    ],
)
def test_a_path_is_what_a_log_means(recorded: str, meant: str):
    assert project_path(recorded) == meant
    assert project_path(meant) == meant


def test_huge_paths_take_no_time():
    began = time.process_time()
    for start in ("file:///", "vscode-remote://", "c:\\", "/", "a-"):
        project_path(start + "%41/" * 250_000)
    assert time.process_time() - began < 5


def test_the_name_of_a_directory_is_its_last_part():
    assert last_part("C:\\Users\\demo one") == "demo one"
    assert last_part("/home/me/a\\b") == "a\\b"
    assert last_part("/") == "/"
    assert path_parts("C:\\Users\\me") == ["C:", "Users", "me"]
