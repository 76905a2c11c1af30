import pickle

import pytest

from agentview.errors import (
    AgentViewError,
    Ambiguous,
    NotFound,
    Unreadable,
    UsageError,
    shortage,
)


@pytest.mark.parametrize(
    ("kind", "code"), [(NotFound, 1), (Unreadable, 1), (Ambiguous, 1), (UsageError, 2)]
)
def test_each_kind_is_an_error_of_ours_with_its_exit_code(
    kind: type[AgentViewError], code: int
) -> None:
    error = kind("There is no file x.", hint="Look elsewhere.")

    assert isinstance(error, AgentViewError)
    assert str(error) == error.message == "There is no file x."
    assert error.hint == "Look elsewhere."
    assert error.exit_code == code


def test_an_ambiguous_target_lists_its_candidates_in_order() -> None:
    error = Ambiguous("Two sessions match ab.", ("abc  first", "abd  second"))

    assert error.candidates == ("abc  first", "abd  second")
    assert error.hint is None


def test_names_from_outside_cannot_act_on_the_terminal() -> None:
    error = Ambiguous("No file \x1b[2J\x07a\nb.", ("\x1b]0;title\x07", "bad \udc80 byte"), "\x9b1m")

    for text in (error.message, error.hint or "", *error.candidates):
        assert text.isprintable()
        text.encode("utf-8")
    assert error.message == r"No file \x1b[2J\x07a\nb."
    assert error.candidates[1] == r"bad \udc80 byte"


def test_ordinary_text_in_any_script_is_left_alone() -> None:
    assert str(NotFound("Keine Datei für 日本語 ✅.")) == "Keine Datei für 日本語 ✅."


def test_an_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(Ambiguous("Two match.", ("a", "b"), "Say more.")))

    assert isinstance(error, Ambiguous)
    assert (error.message, error.candidates, error.hint) == ("Two match.", ("a", "b"), "Say more.")


def test_a_compiled_module_that_finds_no_memory_is_a_lack_of_memory() -> None:
    refused = ImportError("/lib/a.so: failed to map segment from shared object")
    error = RuntimeError("while something else was done")
    error.__cause__ = refused

    for each in (refused, error):
        lack = shortage(each)
        assert lack is not None
        assert lack.message == "Not enough memory."
    assert shortage(ImportError("No module named 'a'")) is None
