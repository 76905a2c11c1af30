"""Fields of any type give text, numbers and lists, or say that there are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.normalize import json_fields

ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner)),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        ("", ""),
        ("a", "a"),
        (12, "12"),
        (True, "true"),
        (["*.py", "*.ts"], "*.py, *.ts"),
        ([], "[]"),
        ([1, "a"], '[1,"a"]'),
        ({"a": [1]}, '{"a":[1]}'),
        ({"a": "\ud83d"}, '{"a":"\\ud83d"}'),
        ({"a": 10**30}, '{"a":1000000000000000000000000000000}'),
    ],
)
def test_text(value: object, expected: str | None):
    assert json_fields.text({"key": value}, "other", "key") == expected


@pytest.mark.slow
def test_text_nested_beyond_what_can_be_written():
    value: object = "x"
    for _ in range(100_000):
        value = [value]
    assert json_fields.as_text(value) == "(list that cannot be written as JSON)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (3.0, 3),
        ("3", 3),
        (" 40 ", 40),
        (True, None),
        ("three", None),
        ([3], None),
        (None, None),
        (float("nan"), None),
        (float("inf"), None),
        (10**400, None),
    ],
)
def test_number(value: object, expected: int | None):
    assert json_fields.number({"n": value}, "n") == expected


def test_the_first_key_with_a_usable_value_counts():
    assert json_fields.number({"a": "x", "b": 2}, "a", "b") == 2
    assert json_fields.text({"a": None, "b": "t"}, "a", "b") == "t"
    assert json_fields.first({"a": None, "b": 0}, "a", "b") == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [(True, True), (False, False), ("true", True), ("False", False), (1, True), (0, False)],
)
def test_flag(value: object, expected: bool):
    assert json_fields.flag({"f": value}, "f") is expected
    assert json_fields.flag({}, "f") is False


def test_lists_and_objects_written_as_text_are_read():
    assert json_fields.items('[{"a": 1}]') == [{"a": 1}]
    assert json_fields.mapping(' {"a": 1}') == {"a": 1}
    assert json_fields.items("[broken") == []
    assert json_fields.mapping("{broken") == {}
    assert json_fields.items("text") == []
    assert json_fields.texts("one") == ("one",)
    assert json_fields.texts(["one", 2, None]) == ("one", "2")


def test_a_body_given_as_lines():
    assert json_fields.body({"source": ["a\n", "b"]}, "source") == "a\nb"
    assert json_fields.body({"source": ["a", "b"]}, "source") == "a\nb"
    assert json_fields.body({"source": {"a": 1}}, "source") == '{"a":1}'


@pytest.mark.parametrize("key", ["file_path", "filePath", "path", "target_file", "absolute_path"])
def test_a_path_by_any_of_its_names(key: str):
    assert json_fields.path({key: "/src/a.py"}) == "/src/a.py"
    assert json_fields.path({key: ["/src/a.py"]}) == "/src/a.py"


@given(ANY)
def test_nothing_raises(value: object):
    found = {"key": value}
    assert isinstance(json_fields.as_text(value), str | None)
    assert isinstance(json_fields.number(found, "key"), int | None)
    assert isinstance(json_fields.flag(found, "key"), bool)
    assert isinstance(json_fields.items(value), list)
    assert isinstance(json_fields.texts(value), tuple)
    assert isinstance(json_fields.body(found, "key"), str | None)
    assert json_fields.collect(json_fields.items(value), lambda entry: entry) is not None
