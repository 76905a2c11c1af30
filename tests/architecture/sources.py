"""The modules of the package, for tests that read the source."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "agentview"
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    """Path of a module from the root of the repository."""
    return str(path.relative_to(ROOT))


def parse(path: Path) -> ast.Module:
    """The syntax tree of a module. Keeping all of them would cost more than to parse some again."""
    return ast.parse(path.read_text(), str(path))
