"""Syntax colours of source text, made by the screenful: only lines that are seen are read."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from rich.style import Style

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.style.palette import Palette
from agentview.ui.render.text_lines import Piece

_NEAR = 96
"""Lines up to which text is read from its start; lines after that from a little before them."""
_RUN_UP = 48
_STEP = 16
"""Lines that are read together at least, so that going up line by line reads few of them again."""
_RUN = 1_000
"""Lines that are read on at most from where reading began."""

_COMMON = ("x.py", "x.ts", "x.json", "sh")
_LONG = 1_000
"""Characters from which a line has no colours: a lexer may take very long over it."""


class Highlighter:
    """Lines of one text with syntax colours; `language` is a file name or a language's name.

    With `late`, lines are plain until the lexer is found, where `find_late` asks for that.
    """

    def __init__(
        self, lines: Sequence[str], language: str, palette: Palette, *, late: bool = False
    ) -> None:
        self._late = late
        self._lines = lines
        self._language = language
        self._palette = palette
        self._known: dict[int, list[Piece]] = {}
        self._reading: Iterator[list[Piece]] = iter(())
        self._next = 0
        """The line that is read next."""
        self._from = 0
        """From here on lines are taken as they are read; those before lead up to them."""
        self._end = 0

    def line(self, index: int) -> list[Piece]:
        """The clean text of a line in pieces."""
        text = clean(self._lines[index])
        if not self._palette.colored or len(self._lines[index]) > _LONG or not self._language:
            return [(text, self._palette.text)]
        if self._late and not _late.has(self._language):
            return [(text, self._palette.text)]
        if index not in self._known:
            self._read_to(index)
        pieces = self._known[index]
        same = "".join(part for part, _ in pieces) == text
        return pieces if same else [(text, self._palette.text)]

    def _read_to(self, index: int) -> None:
        """Read on, or again where that is less: a lexer takes 50 µs a line."""
        if not self._next <= index < min(self._end, self._next + _RUN_UP):
            self._begin(index)
        while self._next <= index:
            pieces = next(self._reading, list[Piece]())
            if self._next >= self._from:
                self._known.setdefault(self._next, pieces)
            self._next += 1

    def _begin(self, index: int) -> None:
        self._from = 0 if index < _NEAR else index - index % _STEP
        self._next = max(0, self._from - _RUN_UP)
        self._end = self._next + _RUN
        lines = self._lines[self._next : self._end]
        self._reading = _read(lines, self._language, self._palette, waited_for=self._late)


def _read(
    lines: Sequence[str], language: str, palette: Palette, *, waited_for: bool
) -> Iterator[list[Piece]]:
    # Knows nothing of who reads: the two would hold each other until all is looked at for garbage.
    lexer = _lexer(language)
    if lexer is None:
        return
    text = "\n".join("" if len(line) > _LONG else clean(line) for line in lines) + "\n"
    row: list[Piece] = []
    styles: dict[tuple[str, ...], Style] = {}
    for _, token, value in lexer.tokens(text, waited_for=waited_for):
        style = styles.get(token)
        if style is None:
            style = styles[token] = _style(token, palette)
        first, *others = value.split("\n") if "\n" in value else (value,)
        _add(row, first, style)
        for part in others:
            yield row
            row = []
            _add(row, part, style)


def _add(row: list[Piece], text: str, style: Style) -> None:
    """Put text behind a row, to its last piece where that looks the same: spaces always do."""
    if row and (row[-1][1] is style or text.isspace()):
        row[-1] = row[-1][0] + text, row[-1][1]
    elif text:
        row.append((text, style))


class _LateLexers:
    """Which lexers were found, for whoever does not wait until one is."""

    def __init__(self) -> None:
        self.ask: Callable[[], None] | None = None
        self._missing: set[str] = set()
        self._found: set[str] = set()

    def has(self, language: str) -> bool:
        """Return True if the lexer is found; asks for it where it is not."""
        if self.ask is None or (self._found and _lexer_name(language) in self._found):
            return True
        self._missing.add(language)
        self.ask()
        return False

    def find(self, language: str) -> None:
        """Find a lexer."""
        _lexer(language)
        self._found.add(_lexer_name(language))

    def find_missing(self) -> bool:
        """Find those that were asked for; False when none was."""
        asked = bool(self._missing)
        while self._missing:
            self.find(self._missing.pop())
        return asked


_late = _LateLexers()


def find_late(ask: Callable[[], None] | None) -> None:
    """Call `ask` when a lexer is missing that is late: then `find_missing` is to be called.

    Importing and compiling one takes 20 to 100 ms, longer than a frame. None finds each at once.
    """
    _late.ask = ask


def find_missing() -> bool:
    """Find the lexers that were asked for; False when none was. May run in a thread."""
    return _late.find_missing()


def prepare() -> None:
    """Find the usual lexers before one is missing; takes some 0.1 s, and may run in a thread."""
    for language in _COMMON:
        _late.find(language)


def _lexer(language: str) -> Any:
    return _lexer_named(_lexer_name(language))


def _lexer_name(language: str) -> str:
    name = PurePosixPath(language.replace("\\", "/")).name
    if "." in name[1:] and not name[:1].isupper() and name not in _whole_names():
        # Looking through the patterns of all lexers takes 10 ms, and as long again for plugins.
        suffixes = PurePosixPath(name).suffixes[-2:]
        both, known = "".join(suffixes), _aliases()
        name = known.get(both, known.get(suffixes[-1] if suffixes else "", "")) or f"x{both}"
    return name


@cache
def _whole_names() -> frozenset[str]:
    """Names of files that show their language without their suffix."""
    known: dict[str, Any] = import_module("pygments.lexers._mapping").LEXERS
    return frozenset(
        pattern for entry in known.values() for pattern in entry[3] if "*" not in pattern
    )


@cache
def _aliases() -> dict[str, str]:
    """Names of languages by the suffix of their files; empty where several have the same."""
    known: dict[str, Any] = import_module("pygments.lexers._mapping").LEXERS
    found: dict[str, str] = {}
    for _, _, aliases, patterns, _ in known.values():
        for pattern in patterns:
            if pattern.startswith("*."):
                found[pattern[1:]] = aliases[0] if aliases and pattern[1:] not in found else ""
    return found


@lru_cache(maxsize=64)
def _lexer_named(name: str) -> Any:
    # Late, because finding a lexer costs the first frame more than drawing it.
    from pygments.lexers import find_lexer_class_by_name, find_lexer_class_for_filename
    from pygments.util import ClassNotFound

    from agentview.ui.render.lexing import SourceLexer

    found = find_lexer_class_for_filename(name) if "." in name or name[:1].isupper() else None
    if found is None:
        try:
            found = find_lexer_class_by_name(name)
        except ClassNotFound:
            return None
    return SourceLexer(found())


_FAMILIES: tuple[tuple[str, str], ...] = (
    ("Comment.Preproc", "keyword"),
    ("Comment", "comment"),
    ("Keyword.Type", "type_name"),
    ("Keyword.Constant", "literal"),
    ("Keyword", "keyword"),
    ("Operator.Word", "keyword"),
    ("Operator", "operator"),
    ("Punctuation", "operator"),
    ("Name.Function", "function"),
    ("Name.Class", "type_name"),
    ("Name.Builtin.Pseudo", "literal"),
    ("Name.Builtin", "function"),
    ("Name.Decorator", "function"),
    ("Name.Exception", "type_name"),
    ("Name.Tag", "keyword"),
    ("Name.Attribute", "function"),
    ("Name.Constant", "literal"),
    ("Name.Namespace", "type_name"),
    ("Literal.String", "string"),
    ("Literal", "literal"),
    ("Generic.Heading", "heading"),
    ("Generic.Subheading", "heading"),
    ("Generic.Strong", "strong"),
    ("Generic.Emph", "emphasis"),
    ("Generic.Inserted", "added_gutter"),
    ("Generic.Deleted", "removed_gutter"),
    ("Generic.Prompt", "dim"),
)


@lru_cache(maxsize=2_048)
def _family(token: tuple[str, ...]) -> str:
    name = ".".join(token)
    for family, field in _FAMILIES:
        if name == family or name.startswith(family + "."):
            return field
    return "text"


def _style(token: tuple[str, ...], palette: Palette) -> Style:
    style: Style = getattr(palette, _family(tuple(token)))
    return style
