"""The help names all that a query can say, and its examples are queries."""

import re
from pathlib import Path

from agentview.query.help import FORMS, VALUES, hint, page, rows
from agentview.query.parser import parse_query
from agentview.query.vocabulary import FIELDS, KIND_NAMES, Surface

DOCS = Path(__file__).parents[2] / "docs" / "query.md"


def test_examples_are_queries() -> None:
    for surface in Surface:
        for form, _ in rows(surface):
            query = parse_query(form, surface)
            unknown = query.error is not None and surface is Surface.SESSIONS and "state" in form
            assert query.terms or unknown, (surface, form)
        line = hint(surface).replace("regex:/…/", "regex:/x/")
        errors = parse_query(line, surface).error
        assert errors is None or "state" in errors.message


def test_the_page_names_all_fields_kinds_states_and_places() -> None:
    text, docs = page(), DOCS.read_text()
    words = set(re.findall(r"[\w-]+", text))
    named = set(re.findall(r"`([\w-]+):?", docs))
    for names in (FIELDS, *VALUES.values(), KIND_NAMES):
        assert words.issuperset(names)
        assert named.issuperset(names), set(names) - named
    assert all(form in text for form, _ in FORMS)
    assert max(map(len, text.splitlines())) <= 100
