"""`jq` as the examples of the documents use it, for machines that do not have the program."""

import json
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any


def main(arguments: Sequence[str]) -> None:
    """Run `jq [-c] [-r] [-s] PROGRAM` on standard input."""
    options = {letter for each in arguments if each.startswith("-") for letter in each[1:]}
    (program,) = (each for each in arguments if not each.startswith("-"))
    jq: Any = import_module("jq")
    text = sys.stdin.read()
    compiled = jq.compile(program)
    found: list[Any]
    if "s" in options:
        found = compiled.input_value([json.loads(line) for line in text.splitlines()]).all()
    else:
        found = compiled.input_text(text).all() if text.strip() else []
    for value in found:
        shown: str = value if "r" in options and isinstance(value, str) else json.dumps(value)
        sys.stdout.write(f"{shown}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
