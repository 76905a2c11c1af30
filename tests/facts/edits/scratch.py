"""The files of the project that recorded sessions worked in, as they were before any of them."""

from tests.facts.edits.applying import Tree

APP = '''"""Sample app."""
import sys


def greet(name):
    return "Hello, " + name


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def main():
    print(greet(sys.argv[1] if len(sys.argv) > 1 else "world"))


if __name__ == "__main__":
    main()
'''
UTIL = "".join(
    f'def util_{n}(x):\n    """TODO: document util {n}"""\n    return x * {n}\n\n'
    for n in range(40)
)
GUIDE = (
    '# Guide\n\nSome *markdown* text.\n\n- item one\n- item two\n\n```python\nprint("hi")\n```\n'
)
README = "# Scratch project\n\nFor mock sessions. Ünïcödé: 日本語 ✅\n"
NOTEBOOK = (
    '{\n "cells": [\n  {"cell_type": "code", "execution_count": null, "id": "c1", "metadata": {}, '
    '"outputs": [], "source": ["print(1)\\n"]},\n  {"cell_type": "markdown", "id": "c2", '
    '"metadata": {}, "source": ["# Title\\n"]}\n ],\n "metadata": {"language_info": '
    '{"name": "python"}},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'
)
MODULE = '"""New module."""\n\n\ndef hello():\n    return "hi"\n'
TWO_EDITS = APP.replace('    return "Hello, " + name', '    return f"Hello, {name}!"').replace(
    "def mul(a, b):\n    return a * b\n",
    'def mul(a, b):\n    """Multiply."""\n    return a * b\n\n\ndef div(a, b):\n    return a / b\n',
)
THREE_HUNKS = (
    APP.replace('    return "Hello, " + name', '    return f"Hello, {name}!"')
    .replace("    return a - b", '    """Subtract b from a."""\n    return a - b')
    .replace("    return a * b\n", "    return a * b\n\n\ndef div(a, b):\n    return a / b\n")
)


def scratch() -> Tree:
    """All files; the long one is the part of it that recordings kept."""
    texts = {
        "src/app.py": APP,
        "src/util.py": UTIL,
        "docs/guide.md": GUIDE,
        "README.md": README,
        "nb.ipynb": NOTEBOOK,
    }
    return {name: text.encode() for name, text in texts.items()}


def left(**texts: str | None) -> Tree:
    """The files as a session left them: with these texts, without those that are None."""
    tree = scratch()
    for key, text in texts.items():
        name = key.replace("__", "/").replace("_dot_", ".")
        if text is None:
            tree.pop(name, None)
        else:
            tree[name] = text.encode()
    return tree
