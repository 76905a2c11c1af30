"""Clients by two letters."""

from agentview.providers import load_provider, provider_names
from agentview.sessions.library.client_marks import client_marks


def test_the_marks_of_all_clients_differ() -> None:
    labels = {name: load_provider(name).label for name in provider_names()}
    marks = client_marks(labels)
    assert marks.keys() == labels.keys()
    assert {len(mark) for mark in marks.values()} == {2}
    assert len(set(marks.values())) == len(labels)


def test_initials_come_first_then_a_later_letter() -> None:
    labels = {"a": "Claude Code", "b": "Codex", "c": "Command Code", "d": "OpenCode", "e": "Pi"}
    assert client_marks(labels) == {"a": "CC", "b": "Co", "c": "Cm", "d": "OC", "e": "Pi"}


def test_names_without_letters_have_marks_too() -> None:
    assert client_marks({"a": "", "b": "7", "c": "模型", "d": "x"}) == {
        "a": "? ", "b": "7 ", "c": "模 ", "d": "x ",
    }  # fmt: skip
