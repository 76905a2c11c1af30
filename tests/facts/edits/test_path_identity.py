"""Names of one file, and the directory that names count from, by their text alone."""

import pytest

from agentview.facts.edits.path_identity import absolute, common_root


@pytest.mark.parametrize(
    ("path", "cwd", "expected"),
    [
        (r"c:\Shop\src\..\a.py", None, "C:/Shop/a.py"),
        (r"src\a.py", r"c:\Shop", "C:/Shop/src/a.py"),
        ("/c/Shop/a.py", r"C:\Shop", "C:/Shop/a.py"),
        ("/srv/a.py", r"C:\Shop", "/srv/a.py"),
        ("/c/Shop/a.py", "/home/dev", "/c/Shop/a.py"),
        ("file:///home/dev/a%20b.py", None, "/home/dev/a b.py"),
        ("file:///c%3A/Shop/a.py", None, "C:/Shop/a.py"),
        ("/private/etc/shop/a.py", None, "/etc/shop/a.py"),
        ("/private/shop/a.py", None, "/private/shop/a.py"),
        ("a.py", "/private/var/shop", "/var/shop/a.py"),
    ],
)
def test_one_name_is_kept_of_those_that_a_file_has(path: str, cwd: str | None, expected: str):
    assert absolute(path, cwd) == expected


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([r"C:\Shop\src\a.py", "c:/Shop/b.py"], "C:/Shop"),
        ([r"C:\Shop\a.py", r"D:\Shop\a.py"], None),
        (["C:/Shop/a.py", "/srv/a.py"], None),
        (["/home/dev/shop/src/a.py", "src/a.py"], "/home/dev/shop"),
        (["/home/dev/a.py", "/home/dev/shop/b.py"], "/home/dev"),
    ],
)
def test_a_directory_is_guessed_from_the_paths_in_it(paths: list[str], expected: str | None):
    assert common_root(paths) == expected
