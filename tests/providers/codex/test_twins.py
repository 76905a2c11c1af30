"""Two records of one fact find each other, and the same words later are another fact."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.events import Level, Message, Notification, Topic, User
from agentview.providers.codex.event_builder import APART, DuplicateKeys, twin_keys
from tests.providers.codex.log import REF, Record, bodies, finished, joined, report, said
from tests.providers.joined_log import texts, write

times = st.floats(min_value=0, max_value=4e9, allow_nan=False)


def relations(first: DuplicateKeys, second: DuplicateKeys) -> int:
    same = first.get("dedupe_key") == second.get("dedupe_key")
    replaced = first.get("replaces")
    return same + (replaced is not None and replaced == second.get("replaces"))


@given(time=times, later=st.floats(min_value=0, max_value=APART * 0.99))
def test_twins_share_exactly_one_key(time: float, later: float):
    first = twin_keys("message", "Done.", time, first=True)
    second = twin_keys("message", " Done.\n", time + later, first=False)
    assert relations(first, second) == 1


@given(time=times, later=st.floats(min_value=3 * APART, max_value=1e6))
def test_the_same_words_later_are_no_twins(time: float, later: float):
    for one in (True, False):
        first = twin_keys("message", "Done.", time, first=one)
        for other in (True, False):
            second = twin_keys("message", "Done.", time + later, first=other)
            assert relations(first, second) == 0


def test_other_words_and_other_sorts_are_no_twins():
    first = twin_keys("message", "Done.", 10.0, first=True)
    assert relations(first, twin_keys("message", "Did it.", 10.0, first=False)) == 0
    assert relations(first, twin_keys("prompt", "Done.", 10.0, first=False)) == 0


def test_without_a_time_nothing_is_a_twin():
    assert twin_keys("message", "Done.", None, first=True) == {}


def stamp(seconds: float) -> str:
    return f"2026-03-02T10:00:{seconds:06.3f}Z"


@given(start=st.integers(0, 20_000), apart=st.integers(0, 900))
def test_one_of_two_records_is_shown_in_whatever_order_they_are_read(start: int, apart: int):
    with TemporaryDirectory() as folder:
        check_pair(Path(folder) / "log.jsonl", start, apart)


def check_pair(path: Path, start: int, apart: int) -> None:
    one, two = stamp(start / 1000), stamp((start + apart) / 1000)
    later = stamp(start / 1000 + 30)
    write(
        path,
        [
            said("user", "Go on", at=one),
            report(two, type="user_message", message="Go on"),
            report(one, type="agent_message", message="Done."),
            said("assistant", "Done.", at=two),
            report(later, type="agent_message", message="Done."),
            said("assistant", "Done.", at=later),
        ],
    )
    for backward in (False, True):
        store = joined(path, backward=backward)
        assert texts(store) == ["Go on", "Done.", "Done."]
        assert store.summary.turns == 1


def test_a_log_with_only_one_sort_of_record_loses_nothing(tmp_path: Path):
    only_items = write(tmp_path / "a.jsonl", [said("user", "Hi"), said("assistant", "Hello")])
    assert texts(joined(only_items)) == ["Hi", "Hello"]
    reports = [report(type="user_message", message="Hi"), report(type="agent_message", message="x")]
    assert texts(joined(write(tmp_path / "b.jsonl", reports))) == ["Hi", "x"]


def test_a_message_is_the_same_in_both_records():
    both = (report(type="agent_message", message="x"), said("assistant", "x"))
    assert [bodies(record, REF) for record in both] == [[Message("x")], [Message("x")]]


_REMARK = "Warning: three commands still run."


def _reported(words: str, *, paginated: bool) -> Record:
    if paginated:
        return finished(type="UserMessage", id="u", content=[{"type": "text", "text": words}])
    return report(type="user_message", message=words)


@pytest.mark.parametrize("paginated", [False, True])
@pytest.mark.parametrize("backward", [False, True])
def test_what_the_next_record_reports_as_a_prompt_is_no_remark_of_the_client(
    tmp_path: Path, paginated: bool, backward: bool
):
    path = write(
        tmp_path / "log.jsonl",
        [
            said("user", "Go on"),
            _reported("Go on", paginated=paginated),
            *[said("user", _REMARK)] * 2,
            said("user", _REMARK),
            _reported(_REMARK, paginated=paginated),
            said("assistant", "They do."),
        ],
    )
    store = joined(path, backward=backward)
    shown = [store.activity(row).body for row in range(store.first, store.end) if store.shown(row)]
    remark = Notification(Topic.SYSTEM, _REMARK, Level.WARNING)
    prompts = (User("Go on"), User(_REMARK))
    assert shown == [prompts[0], remark, remark, prompts[1], Message("They do.")]
    assert store.summary.turns == 2


def test_an_event_in_an_envelope_is_the_twin_of_an_item(tmp_path: Path):
    """Every Code, a fork, keeps its events so."""

    def event(**message: object) -> Record:
        payload = {"id": "0", "event_seq": 1, "msg": message}
        return {"timestamp": stamp(1), "type": "event", "payload": payload}

    records = [
        event(type="user_message", message="Count the crates.", kind="plain"),
        said("user", "Count the crates.", at=stamp(1)),
        event(type="agent_message", message="Seven."),
        said("assistant", "Seven.", at=stamp(1)),
    ]
    path = write(tmp_path / "rollout-1.jsonl", records)
    assert texts(joined(path)) == ["Count the crates.", "Seven."]
