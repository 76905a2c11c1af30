"""docs/licenses.md lists what agentview installs, and every licence there is a permissive one."""

import re
import tomllib
from pathlib import Path

_PAGE = Path(__file__).parents[2] / "docs" / "licenses.md"
_EXTRAS = ("duckdb", "images", "mcp", "otlp")
_PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CNRI-Python", "ISC", "MIT", "MIT-0",
    "MIT-CMU", "PSF-2.0",
}  # fmt: skip
_BY_FILE = {"orjson": "MPL-2.0"}
"""Licences of single files in a package, which ask for nothing where they are left unchanged."""


def _listed() -> dict[str, str]:
    rows = re.findall(r"^\| ([\w.-]+) \| ([^|]+) \|", _PAGE.read_text(), re.MULTILINE)
    return {name: terms for name, terms in rows if name != "package"}


def _required() -> set[str]:
    """Return the names of the packages that agentview itself requires, with those of extras."""
    project = tomllib.loads((_PAGE.parents[1] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *(line for name in _EXTRAS for line in extras[name])]
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0] for line in lines}


def test_every_required_package_is_listed():
    assert _required() <= set(_listed())


def test_every_licence_is_permissive():
    for name, terms in _listed().items():
        words = set(re.findall(r"[\w.-]+", terms)) - {"AND", "OR", _BY_FILE.get(name, "")}
        assert words <= _PERMISSIVE, name
