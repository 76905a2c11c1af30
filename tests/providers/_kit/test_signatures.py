"""A log is known by a table of what its records have."""

import re
from pathlib import Path

import pytest

from agentview.normalize.json_values import Fields, time_of, whole_of
from agentview.providers._kit.discovery import LogFiles, probe_records
from agentview.providers._kit.signatures import (
    Signature,
    SignatureTable,
    confidence_in,
    filled,
    some,
)

RECORD: Fields = {
    "type": "message",
    "number": 0,
    "at": "2001-09-09T01:46:40Z",
    "nothing": None,
    "content": [],
    "message": {"role": "user"},
}


def _is_any(value: object) -> bool:
    _ = value
    return True


@pytest.mark.parametrize(
    ("signature", "fits"),
    [
        (Signature(1.0), True),
        (Signature(1.0, {"type": "message"}), True),
        (Signature(1.0, {"type": "messages"}), False),
        (Signature(1.0, {"type": {"message", "call"}}), True),
        (Signature(1.0, {"type": {"call"}}), False),
        (Signature(1.0, {"content": {"message"}}), False),
        (Signature(1.0, {"type": re.compile("mess[a-z]+")}), True),
        (Signature(1.0, {"type": re.compile("mess")}), False),
        (Signature(1.0, {"number": re.compile("0")}), False),
        (Signature(1.0, {"content": list}), True),
        (Signature(1.0, {"content": str | dict}), False),
        (Signature(1.0, {"number": whole_of, "at": time_of}), True),
        (Signature(1.0, {"type": whole_of}), False),
        (Signature(1.0, {"missing": _is_any}), False),
        (Signature(1.0, {"nothing": _is_any}), True),
        (Signature(1.0, {"type": "message", "number": str}), False),
        (Signature(1.0, {"message/role": "user"}), True),
        (Signature(1.0, {"type/role": "user"}), False),
        (Signature(1.0, keys={"type", "nothing", "message/role"}), True),
        (Signature(1.0, keys={"type", "missing"}), False),
        (Signature(1.0, keys={"message/missing"}), False),
        (Signature(1.0, any_of={"missing", "message/role"}), True),
        (Signature(1.0, any_of={"missing", "message/missing"}), False),
        (Signature(1.0, without={"missing"}), True),
        (Signature(1.0, without={"message/role"}), False),
        (Signature(1.0, only={*RECORD, "more"}), True),
        (Signature(1.0, only={"type", "number"}), False),
    ],
)
def test_a_record_has_all_that_a_signature_asks_for(signature: Signature, fits: bool):
    assert signature.fits(RECORD) is fits


def test_the_first_that_fits_counts():
    table = (
        Signature(0.0, keys={"foreign"}),
        Signature(0.5, {"type": "message"}),
        Signature(0.9, keys={"type"}),
    )
    assert confidence_in({"type": "message"}, table) == 0.5
    assert confidence_in({"type": "message", "foreign": None}, table) == 0.0
    assert confidence_in({"type": 1}, table) == 0.9
    assert confidence_in({}, table) == 0.0


class _Logs(LogFiles):
    signatures = (Signature(0.99, {"quay": str}), Signature(0.5, keys={"dock"}))
    cut_lines = ((re.compile(rb'\{"quay"'), 0.8),)


@pytest.mark.parametrize(
    ("head", "confidence"),
    [
        (b'{"quay":"7"}\n', 0.99),
        (b'\xef\xbb\xbf{"dock":1}\n\n[1]\n{"quay":"7"}\n', 0.99),
        (b'{"dock":1}\n{"other":1}\n', 0.5),
        (b'{"other":1} {"quay":"7"} {"cut":\n', 0.99),
        (b'{"quay":"long and cut', 0.8),
        (b'{"quay":7}\n["quay"]\nno JSON', 0.0),
        (b'{"other":1}\n' * 40 + b'{"quay":"7"}\n', 0.0),
        (b"", 0.0),
    ],
)
def test_a_file_has_the_highest_confidence_of_its_first_records(head: bytes, confidence: float):
    assert _Logs("harbour").probe(head, Path("x.jsonl")) == confidence


def test_a_line_is_read_once_for_all_that_ask():
    head = b'{"a":1}\n{"b":2}\n{"c":3} {"d":4} {"cut":\n'
    asked: list[Fields] = []

    def probe_record(record: Fields) -> float:
        asked.append(record)
        return 0.0

    for _ in range(2):
        probe_records(head, probe_record)
    first, second = asked[: len(asked) // 2], asked[len(asked) // 2 :]
    assert first == [{"a": 1}, {"b": 2}, {"c": 3}, {"d": 4}]
    assert all(one is other for one, other in zip(first, second, strict=True))


FORMS = (
    Signature(0.9, {"type": "call", "parts": some("kind", {"text", "image"})}),
    Signature(0.8, {"type": {"call", "answer"}, "body": filled}),
    Signature(0.5, {"other": str}),
    Signature(0.3, {"type": "call"}),
)


@pytest.mark.parametrize(
    ("record", "confidence"),
    [
        ({"type": "call", "parts": [None, {"kind": "image"}]}, 0.9),
        ({"type": "call", "parts": [{"kind": "sound"}, "text"]}, 0.3),
        ({"type": "call", "parts": {"kind": "text"}, "other": "a"}, 0.5),
        ({"type": "answer", "body": {"a": None}}, 0.8),
        ({"type": "answer", "body": {}}, 0.0),
        ({"type": "answer", "body": ["a"]}, 0.0),
        ({"type": "more", "other": "a"}, 0.5),
        ({"type": ["call"], "other": "a"}, 0.5),
        ({"type": None}, 0.0),
        ({}, 0.0),
    ],
)
def test_a_table_finds_the_surest_form_of_a_type(record: Fields, confidence: float):
    assert SignatureTable(*FORMS).confidence(record) == confidence
    assert confidence_in(record, FORMS) == confidence
