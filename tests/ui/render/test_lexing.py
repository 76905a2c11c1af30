"""Rules that are tried together give the tokens that pygments gives."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pygments.lexer import RegexLexer, default
from pygments.lexers import get_lexer_by_name  # pyright: ignore[reportUnknownVariableType]
from pygments.token import Comment, Keyword, Name, String, Whitespace

from agentview.ui.render.lexing import SourceLexer

ROOT = Path(__file__).parents[3]
_FILES = ("Makefile", "README.md", "pyproject.toml", "agentview/ui/render/lexing.py", ".ci/run")
_ENOUGH = 2
"""Times that the first text is read until the rules of a language are joined."""


def _texts() -> list[str]:
    """Source of several languages as it is, with its lines and then its characters in disorder."""
    text = "".join((ROOT / name).read_text()[:6_000] for name in _FILES)
    lines, characters, random = text.split("\n"), [*text], Random(7)  # noqa: S311
    random.shuffle(lines)
    random.shuffle(characters)
    return [text, "\n".join(lines), "".join(characters[:4_000]), ""]


@pytest.mark.parametrize(
    "name",
    [
        "python", "bash", "javascript", "typescript", "tsx", "json", "html", "css", "scss", "rust",
        "go", "java", "c", "cpp", "csharp", "sql", "yaml", "toml", "markdown", "diff", "make",
        "docker", "ruby", "php", "kotlin", "swift", "lua", "perl", "haskell", "elixir", "ini",
        "powershell", "graphql", "protobuf", "nix", "vue", "console", "tex", "r", "scala",
    ],
)  # fmt: skip
def test_tokens_are_those_of_pygments(name: str) -> None:
    lexer: Any = get_lexer_by_name(name)
    source, texts = SourceLexer(lexer), _texts()
    for _ in range(_ENOUGH):
        assert [*source.tokens(texts[0], waited_for=False)] == [
            *lexer.get_tokens_unprocessed(texts[0])
        ]
    for text in texts:
        expected = [*lexer.get_tokens_unprocessed(text)]
        assert [*source.tokens(text, waited_for=False)] == expected
        assert [*source.tokens(text, waited_for=True)] == expected


class _Odd(RegexLexer):
    """Rules that cannot be a part of another pattern, between some that can."""

    name = "odd"
    flags = re.MULTILINE
    tokens = {  # noqa: RUF012  (as pygments has it)
        "root": [
            (r"(?i)begin", Keyword, "inner"),
            (r"([ab])\1", String),
            (r"(?P<quote>['\"]).*?(?P=quote)", String),
            (r"#.*$", Comment),
            (r"[ab]", Name),
            (r"c", Name),
            (r"d", Name, ("inner", "inner")),
            (r"\s+", Whitespace),
            default("inner"),
        ],
        "inner": [
            (r"x", Name, "#push"),
            (r"y", Name, "#pop"),
            (r"z", Name, "#pop:2"),
            (r"[ab]+", Name),
        ],
    }


@pytest.mark.parametrize(
    "text",
    ["aab ab 'a' \"b\" BEGIN xxy y zz aab", "d x y y y y a", "beginx?\nab # a\ncz", "d\nd z z z c"],
)
def test_rules_that_stand_alone_keep_their_place(text: str) -> None:
    lexer = _Odd()
    source = SourceLexer(lexer)
    assert [*source.tokens("ab " * 10_000, waited_for=False)]
    expected = [*lexer.get_tokens_unprocessed(text)]
    assert [*source.tokens(text, waited_for=False)] == expected
