"""Pages, help, notices, code and comments use standard terms: misread words do not come back."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import PACKAGE, ROOT

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
MISREAD = (
    r"anew|beside|dear|tells?|telling|told|mend(?:s|ed)?|lies? in"
    r"|(?<!there )is no (?!longer\b)|or no longer|goes on|stands? (?:in|for itself)"
)
"""Words with too many meanings, or that are out of use, in all prose."""
AVOIDED = re.compile(
    rf"\b({MISREAD}|the other way round|go on|says nothing|turn(?:s|ed)? (?:it |all )?over)\b",
    re.IGNORECASE,
)
"""What pages and shown texts do not say."""
IN_CODE = re.compile(rf"\b({MISREAD})\b", re.IGNORECASE)
"""What comments, docstrings and strings of the code do not say."""
NOT_NAMES = frozenset(
    {"anew", "beside", "mend", "retold", "tell", "telling", "tells", "told", "untold"}
)
"""Parts of names that say nothing about the value."""
ANY_PART = re.compile("|".join(NOT_NAMES), re.IGNORECASE)
OF_OTHERS = frozenset(
    {
        # The position in a file, by Python's own name.
        ("sources/unpacking.py", "tell"),
        # What Claude Code writes when a person refuses a call.
        (
            "providers/claude/shared/tool_outcome.py",
            "To tell you how to proceed, the user said:",
        ),
    }
)
"""Names and texts that Python or a format define."""
SHOWN = ("cli", "ui", "targets", "settings", "timeline", "library", "coverage")
"""Packages whose texts are shown."""


def texts_of(module: Path) -> Iterator[tuple[int, str]]:
    """Strings of a module with their lines, docstrings left out."""
    tree = ast.parse(module.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


def prose_of(text: str) -> Iterator[tuple[int, str]]:
    """Comments, docstrings and other strings of a module with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], " ".join(token.string.strip("\"'").split())


def names_of(text: str) -> Iterator[tuple[int, str]]:
    """All names of a module with their lines."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], token.string


def parts_of(name: str) -> set[str]:
    """Words of a name in snake case or camel case, in lower case."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def may_have_misread(text: str) -> bool:
    """Whether a look at each token is worth it, which takes far longer than this one."""
    return bool(ANY_PART.search(text) or IN_CODE.search(" ".join(text.split())))


def misread_in(text: str, place: str = "") -> list[str]:
    """Names and sentences of the code `text` that are not allowed, with their lines."""
    found = [
        (number, name)
        for number, name in names_of(text)
        if not NOT_NAMES.isdisjoint(parts_of(name))
    ]
    found += [(number, prose) for number, prose in prose_of(text) if IN_CODE.search(prose)]
    return [f"{place}:{number}: {what}" for number, what in found if (place, what) not in OF_OTHERS]


def test_pages_use_standard_terms():
    found = [
        f"{page.name}:{number}: {line}"
        for page in PAGES
        for number, line in enumerate(page.read_text().splitlines(), 1)
        if AVOIDED.search(line)
    ]
    assert found == []


def test_texts_on_screens_and_in_help_use_standard_terms():
    modules = [module for name in SHOWN for module in sorted((PACKAGE / name).rglob("*.py"))]
    found = [
        f"{module.relative_to(PACKAGE)}:{number}: {text}"
        for module in modules
        for number, text in texts_of(module)
        if AVOIDED.search(text)
    ]
    assert len(modules) > 100
    assert found == []


def test_code_and_its_comments_use_standard_terms():
    modules = sorted(PACKAGE.rglob("*.py"))
    found = [
        line
        for module in modules
        if may_have_misread(text := module.read_text())
        for line in misread_in(text, module.relative_to(PACKAGE).as_posix())
    ]
    assert len(modules) > 500
    assert found == []


def test_names_comments_and_strings_are_looked_at():
    for line in (
        "told = 1",
        "def is_told(): ...",
        "class ToldText: ...",
        "_TOLD_APART = 3",
        "x = y.untold",
        "# nobody is told",
        '"""A value that the log tells."""',
        'print(f"{name} is no file")',
    ):
        assert may_have_misread(line), line
        assert misread_in(line), line
    for line in ("storytelling = 1", "# it is no longer there", 'print("There is no session.")'):
        assert not misread_in(line), line
