"""`agentview dev new-provider`: a package for the logs of one more program, to begin with."""

import argparse
import keyword
import re
from pathlib import Path

from agentview.cli.commands.dev import skeleton_database, skeleton_lines
from agentview.errors import AgentViewError, UsageError
from agentview.providers import provider_names

_NAME = re.compile(r"[a-z][a-z0-9_]*")

_PYPROJECT = """\
[project]
name = "agentview-{dashed}"
version = "0.1"
description = "Reads the session logs of {label} in agentview."
dependencies = ["agentview"]

[project.entry-points."agentview.providers"]
{name} = "{name}_log:PROVIDER"
"""


def run(options: argparse.Namespace) -> int:
    """Write the package into a new directory; raises UsageError for a name that cannot be one."""
    name: str = options.name
    folder = Path(options.out or f"agentview-{name.replace('_', '-')}").expanduser()
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be the name of a provider.",
            "Use lower-case letters, digits and _, with a letter first.",
        )
    if name in provider_names():
        raise UsageError(f"There is a provider {name} already.", "Choose another name.")
    if folder.exists():
        raise UsageError(f"{folder} exists already.", "Use --out to name another directory.")
    label = name.replace("_", " ").title()
    words = {
        "name": name,
        "label": label,
        "dashed": name.replace("_", "-"),
        "type": label.replace(" ", ""),
    }
    skeleton = skeleton_database if options.kind == "database" else skeleton_lines
    files = {"pyproject.toml": _PYPROJECT, **skeleton.FILES}
    try:
        for template, text in files.items():
            path = folder / template.format(**words)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.format(**words), encoding="utf-8")
    except OSError as error:
        raise AgentViewError(f"Cannot write {folder}: {error.strerror}.") from error
    print(f"{folder}: install it with pip install -e, then edit {name}_log/decode.py.")
    return 0
