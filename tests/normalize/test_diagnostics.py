"""Findings of compilers and linters, as they printed them on 2026-11-29 (`linted/`)."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.normalize.diagnostics import diagnostics
from agentview.timeline.view.sanitize import without_escapes

LINTED = Path(__file__).parent / "linted"
PRINTED = Path(__file__).parent / "test_results/printed"
HOME = "/home/dev/retry/"
Found = tuple[str, int | None, int | None, str | None, str | None]
RUFF: list[Found] = [
    ("app.py", 1, 8, None, "F401"),
    ("app.py", 2, 8, None, "F401"),
    ("app.py", 6, 5, None, "F841"),
    ("app.py", 10, 7, None, "F821"),
]
TSC: list[Found] = [
    ("a.ts", 1, 7, "error", "TS2322"),
    ("a.ts", 2, 19, "error", "TS7006"),
    ("a.ts", 2, 31, "error", "TS2304"),
]
FOUND: dict[str, list[Found]] = {
    "eslint.txt": [
        (HOME + "b.js", 1, 7, "error", "no-unused-vars"),
        (HOME + "b.js", 2, 5, "error", "no-constant-condition"),
        (HOME + "b.js", 2, 13, "error", "no-undef"),
    ],
    "flake8.txt": [
        ("app.py", 1, 1, None, "F401"),
        ("app.py", 2, 1, None, "F401"),
        ("app.py", 6, 5, None, "F841"),
        ("app.py", 10, 7, None, "F821"),
    ],
    "gcc.txt": [
        ("c.c", 2, 35, "warning", None),
        ("c.c", 2, 53, "error", None),
        ("c.c", 2, 53, "info", None),
        ("c.c", 2, 65, "error", None),
        ("c.c", 2, 31, "warning", None),
        ("c.c", 2, 22, "warning", None),
    ],
    "go_build.txt": [("other/b.go", 3, 23, None, None)],
    "go_vet.txt": [("vet.go", 5, 24, None, None)],
    "mypy.txt": [("app.py", line, None, "error", None) for line in (7, 7, 10)],
    "pylint.txt": [
        ("app.py", 1, 0, None, "C0114"),
        ("app.py", 5, 0, None, "C0116"),
        ("app.py", 6, 4, None, "W0612"),
        ("app.py", 10, 6, None, "E0602"),
        ("app.py", 1, 0, None, "W0611"),
        ("app.py", 2, 0, None, "W0611"),
    ],
    "pyright.txt": [
        (HOME + "app.py", 7, 12, "error", None),
        (HOME + "app.py", 10, 7, "error", None),
    ],
    "ruff.txt": RUFF,
    "ruff_concise.txt": RUFF,
    "rustc.txt": [
        ("src/main.rs", 3, 18, "error", "E0308"),
        ("src/main.rs", 4, 5, "error", "E0425"),
    ],
    "tsc.txt": TSC,
    "tsc_pretty.txt": TSC,
}
MESSAGES = {
    "eslint.txt": "'unused' is assigned a value but never used",
    "flake8.txt": "'os' imported but unused",
    "go_vet.txt": 'fmt.Printf format %d has arg "x" of wrong type string',
    "pylint.txt": "Missing module docstring (missing-module-docstring)",
    "ruff.txt": "`os` imported but unused",
    "rustc.txt": "mismatched types",
    "tsc_pretty.txt": "Type 'string' is not assignable to type 'number'.",
}


def text_of(path: Path) -> str:
    return without_escapes(path.read_text())


@pytest.mark.parametrize("name", [path.name for path in sorted(LINTED.iterdir())])
def test_findings_have_their_places(name: str):
    found = diagnostics(text_of(LINTED / name))
    assert [(f.path, f.line, f.column, f.severity, f.source) for f in found] == FOUND[name]


@pytest.mark.parametrize("name", MESSAGES)
def test_findings_have_their_messages(name: str):
    assert diagnostics(text_of(LINTED / name))[0].message == MESSAGES[name]


@pytest.mark.parametrize("name", [path.name for path in sorted(PRINTED.iterdir())])
def test_results_of_tests_are_no_findings(name: str):
    expected = ["broken/b_test.go"] if name == "go.txt" else []
    assert [found.path for found in diagnostics(text_of(PRINTED / name))] == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "src/a.py:12:    return x",
        "12:30:45: started",
        "2026-11-29 10:00:01: error: no",
        "http://localhost:80:5: warning: x",
        "a.py:12",
        "error: no place",
        "  1:7  error  without a file  rule",
        "tests/test_a.py:15: AssertionError",
        "version 1.2:3:4: fine",
    ],
)
def test_other_lines_are_none(text: str):
    assert diagnostics(text) == ()


def test_paths_of_windows():
    (found,) = diagnostics("C:\\src\\a.cpp:3:5: error: no\r\n")
    assert (found.path, found.line, found.message) == ("C:\\src\\a.cpp", 3, "no")
    (found,) = diagnostics("src\\a.cs(3,5): error CS1002: ; expected\r\n")
    assert (found.path, found.source, found.message) == ("src\\a.cs", "CS1002", "; expected")


@pytest.mark.parametrize("line", ["a.b", "a.b:1:", " ", "--> a", "a.py:1:1: error", "C:", "("])
def test_a_hostile_text_is_read_at_once(line: str):
    diagnostics(f"{line * 2_000}\n" * 500 + "a.py:1:1: error: no")


@given(st.text(alphabet="a.py:12()-> \nerror[]E|", max_size=200))
def test_no_text_breaks_it(text: str):
    diagnostics(text)
