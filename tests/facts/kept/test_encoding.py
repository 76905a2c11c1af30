"""Facts come back from bytes as they were; other bytes are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.events import Facts, Rewind, Title, TitleSource, TokenUsage
from agentview.domain.index_entry import CallFact, EventFact, EventLinks, RecordFacts
from agentview.domain.session import Stream, StreamKind
from agentview.domain.usage import Usage
from agentview.facts.kept.encoding import pack_records, unpack_records
from agentview.timeline.rows.reducing import reduce_lines
from tests.samples import all_samples

TEXT = st.none() | st.text(max_size=12)
STREAMS = st.none() | st.builds(Stream, st.sampled_from(StreamKind), st.text(max_size=6))
COUNTS = st.none() | st.integers(0, 2**63 - 1)
EVENTS = st.builds(
    EventFact,
    sub=st.integers(0, 300),
    kind=st.integers(0, 255),
    flags=st.integers(0, 255),
    role=st.integers(0, 4),
    key=TEXT,
    dedupe=TEXT,
    replaces=TEXT,
    replaces_all=st.booleans(),
    response=TEXT,
    stream=STREAMS,
    child=STREAMS,
    signal=st.integers(0, 31),
    time=st.none() | st.floats(allow_nan=False),
    usage=st.none()
    | st.builds(
        TokenUsage,
        st.text(max_size=6),
        st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS),
        TEXT,
        st.booleans(),
        st.none() | st.floats(allow_nan=False),
    ),
    title=st.none() | st.builds(Title, st.text(max_size=6), st.sampled_from(TitleSource), TEXT),
    facts=st.none() | st.builds(Facts, cwd=TEXT, model=TEXT, ended=st.none() | st.booleans()),
    prompt=TEXT,
    tie=st.none()
    | st.builds(
        EventLinks,
        TEXT,
        st.booleans(),
        st.booleans(),
        st.none() | st.builds(Rewind, TEXT, COUNTS, TEXT, st.booleans()),
    ),
    record=TEXT,
    parent=TEXT,
    tool=TEXT,
    call=st.none()
    | st.builds(CallFact, st.text(max_size=6), st.lists(st.text(max_size=6)).map(tuple)),
)
RECORDS = st.builds(
    RecordFacts,
    st.integers(0, 2**60),
    st.integers(0, 2**40),
    st.lists(EVENTS, max_size=4).map(tuple),
)


@pytest.mark.slow
@given(st.lists(RECORDS, max_size=12))
def test_any_facts_come_back(records: list[RecordFacts]):
    assert unpack_records(pack_records(records)) == records


@pytest.mark.slow
def test_the_facts_of_each_sample_come_back():
    for sample in all_samples():
        records = reduce_lines(sample.ref, sample.lines(), calls=True)
        assert unpack_records(pack_records(records)) == records, sample


@pytest.mark.parametrize(
    "value",
    [EventFact(0, 0, 0, key="\ud83d"), EventFact(2**70, 0, 0)],
    ids=["half a character", "a number above 64 bits"],
)
def test_what_the_form_cannot_hold_is_refused(value: EventFact):
    with pytest.raises(ValueError):  # noqa: PT011  (the words are those of a library)
        pack_records([RecordFacts(0, 1, (value,))])


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes):
    with pytest.raises(ValueError):  # noqa: PT011
        unpack_records(data)
