"""Edits that the stream records with the whole text of the file, as the patch of a session."""

import json
from pathlib import Path
from typing import Any

from tests.facts.edits.applying import applied, changes_of, patch_of

ROOT = "/home/dev/shop"


def edited(number: int, name: str, before: str, after: str) -> list[dict[str, Any]]:
    inner = {"args": {"path": f"{ROOT}/{name}", "streamContent": after}}
    told = {"path": f"{ROOT}/{name}", "beforeFullFileContent": before, "diffString": "-x\n+y"}
    done = {**inner, "result": {"success": {**told, "afterFullFileContent": after}}}
    shared = {"type": "tool_call", "call_id": f"c{number}", "session_id": "s"}
    return [
        {**shared, "subtype": name, "tool_call": {"editToolCall": call}, "timestamp_ms": time}
        for name, call, time in (
            ("started", inner, 1_780_000_000_000 + number),
            ("completed", done, 1_780_000_000_500 + number),
        )
    ]


def test_a_text_before_and_after_is_the_whole_file(tmp_path: Path) -> None:
    records = [
        {"type": "system", "subtype": "init", "cwd": ROOT, "session_id": "s", "model": "m"},
        *edited(1, "a.txt", "one\ntwo\nthree", "one\n2\nthree"),
        *edited(2, "new.txt", "", "fresh\n"),
        *edited(3, "a.txt", "one\n2\nthree", "one\n2\n3\n"),
    ]
    log = tmp_path / "session.jsonl"
    log.write_text("".join(json.dumps(record) + "\n" for record in records))
    tree = applied({"a.txt": b"one\ntwo\nthree"}, patch_of(changes_of(log)))
    assert tree == {"a.txt": b"one\n2\n3\n", "new.txt": b"fresh\n"}
