"""Pages, help and notices use standard terms: words that were misread do not come back."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.sources import PACKAGE, ROOT

PAGES = (
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md")),
    *sorted((ROOT / "docs").glob("*.md")),
)
AVOIDED = re.compile(
    r"\b(anew|told|tells? apart|mend(?:s|ed)?|lies? in"
    r"|(?<!There )is no (?:kind|place|path|file|key|pattern)"
    r"|or no longer|the other way round|goes on|go on|says nothing|stands? (?:in|for itself)"
    r"|turn(?:s|ed)? (?:it |all )?over)\b",
    re.IGNORECASE,
)
SHOWN = ("cli", "ui", "settings", "timeline", "library", "coverage")
"""Packages whose texts are shown."""


def texts_of(module: Path) -> Iterator[tuple[int, str]]:
    """Strings of a module with their lines, docstrings left out."""
    tree = ast.parse(module.read_text())
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.lineno, node.value


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
