"""Prints how many made tokens are masked, by what is around them.

`python -m tests.redaction.recall`
"""

import sys

from agentview.redaction.secrets import masked
from agentview.redaction.shapes import DATED
from tests.redaction.made_tokens import CONTEXTS, leaked, made_tokens


def missed(context: str) -> list[str]:
    """The shapes whose tokens can be read in a context after it is masked."""
    within = CONTEXTS[context]
    return [shape for shape, token in made_tokens() if leaked(shape, token, masked(within(token)))]


def table() -> str:
    """The table of the documentation."""
    total = len(made_tokens())
    rows = [f"| {context} | {total - len(missed(context))} | {total} |" for context in CONTEXTS]
    return "\n".join(
        (f"Rules of {DATED}", "", "| where | masked | of |", "|---|---|---|", *rows, "")
    )


if __name__ == "__main__":
    sys.stdout.write(table())
    for each in CONTEXTS:
        for one in missed(each):
            sys.stderr.write(f"{each}: {one}\n")
