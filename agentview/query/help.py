"""The help of the query language: one table for the command line, the screens and docs/query.md."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from agentview.query.vocabulary import (
    CALL_STATES,
    FIELDS,
    KIND_NAMES,
    MARKS,
    PLACES,
    SESSION_STATES,
    FieldSpec,
    Surface,
    ValueType,
)

FORMS: Sequence[tuple[str, str]] = (
    ("retry backoff", "both words, in any order"),
    ('"retry policy"', 'a phrase, as it is; \\" stands for a quotation mark'),
    ("*fusal", "inside words too, in the search of all sessions"),
    ("Retry", "case counts only for a word with a capital letter"),
    ("-coverage", "not this word; - excludes any term"),
    (r"regex:/re\w+/", "a regular expression, without regard to case"),
)
"""Forms of terms other than fields."""

_RULES = """\
A query is a list of terms, and all of them must hold. The same query means the same in the search
and the filter of a session, in the filter of the library and in the search of all sessions."""

_INDEX = """\
A session is searched anywhere in its words. The search of all sessions uses an index of words: it
finds a word from its beginning on, and accents do not count. *word finds it anywhere, and reads the
logs for that, as regex:/…/ and terms without letters do."""

VALUES: Mapping[str, Sequence[str]] = {
    "Kinds": KIND_NAMES,
    "Places": PLACES,
    "Marks": MARKS,
    "States of calls": CALL_STATES,
    "States of sessions": SESSION_STATES,
}
"""Values that some fields take; the beginning of a name stands for it."""

_WIDTH = 100
_COMPARISONS = """\
Amounts: 5, >5, >=5, <100k, <=1.5m. Moments: today, yesterday, 12h, 3d, 2w, 1y, 2026-11, 2026-11-20,
2026-11-20T14:00. Quote a value with spaces: project:"my shop"."""


def hint(surface: Surface) -> str:
    return "  ".join(("words", '"a phrase"', "-word", "regex:/…/", *_examples(surface)))


def summary(surface: Surface) -> Sequence[str]:
    """Return the possible words of a line, in a few lines of a screen."""
    forms = 'words · "a phrase" · -word excludes · regex:/…/'
    own = [name for name in fields_of(surface) if Surface.ACTIVITIES in FIELDS[name].surfaces]
    others = [name for name in fields_of(surface) if name not in own]
    lines = (forms, " ".join(f"{name}:" for name in own), " ".join(f"{name}:" for name in others))
    return [line for line in lines if line]


def rows(surface: Surface) -> Iterator[tuple[str, str]]:
    """Each form of a term with an example and what it means."""
    yield from FORMS
    for name in fields_of(surface):
        yield FIELDS[name].example, FIELDS[name].sentence


def fields_of(surface: Surface) -> Sequence[str]:
    return [name for name, spec in FIELDS.items() if surface in spec.surfaces]


def page() -> str:
    """The help page."""
    table = "\n".join(f"  {form:20}{sentence}" for form, sentence in FORMS)
    fields = "\n".join(
        f"  {spec.example:20}{spec.sentence}{_where(spec)}" for spec in FIELDS.values()
    )
    values = "\n".join(
        fill(f"{name}: {', '.join(names)}.", _WIDTH, subsequent_indent="  ")
        for name, names in VALUES.items()
    )
    parts = (_RULES, table, f"Fields:\n{fields}", values, _COMPARISONS, _INDEX)
    return "\n\n".join(parts)


def _where(spec: FieldSpec) -> str:
    where = [each for each in (Surface.ACTIVITIES, Surface.SESSIONS) if each in spec.surfaces]
    return f" ({where[0]} only)" if len(where) == 1 else ""


def _examples(surface: Surface) -> Iterator[str]:
    for name in fields_of(surface):
        spec = FIELDS[name]
        shown = spec.type in (ValueType.KIND, ValueType.AMOUNT) or surface is Surface.ACTIVITIES
        yield spec.example if shown else f"{name}:"
