"""Many equal records that nothing can read: one row, and an account of each."""

from itertools import groupby
from pathlib import Path

import pytest

from agentview.domain.activity import RowKind
from agentview.facts.accounting.log_report import account_log
from agentview.facts.accounting.outcome import RecordOutcome
from agentview.sessions.following.whole_session import load_session
from tests.samples import Sample, line_samples

SAMPLES = [next(group) for _, group in groupby(line_samples(), lambda each: each.provider.name)]
COUNT = 200
NOISE = (b"{}\n", b'{"type":"no such type of record"}\n', b"not JSON at all\n")


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_equal_records_are_one_row_and_counted_each(sample: Sample, tmp_path: Path) -> None:
    data = sample.path.read_bytes().rstrip(b"\n") + b"\n"
    noise = b"".join(each * COUNT for each in NOISE)
    path = tmp_path / sample.path.name
    found: dict[str, tuple[int, int]] = {}
    for name, content in (("before", data), ("after", data + noise)):
        path.write_bytes(content)
        ref = sample.provider.discovery.ref(path)
        store, account = load_session(ref), account_log(ref)
        rows = range(store.first, store.end)
        unread = sum(store.shown(r) and store.kind(r) is RowKind.UNPARSED for r in rows)
        found[name] = unread, account.records - account.by_fate[RecordOutcome.EVENT].records
        assert account.bytes == len(content)
        assert account.whole
    assert found["after"][0] <= found["before"][0] + len(NOISE)
    assert found["after"][1] == found["before"][1] + COUNT * len(NOISE)
