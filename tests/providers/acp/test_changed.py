"""What agents say of the files that they changed, judged by the patch of the session."""

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.facts.edits.applying import Tree, applied, assert_same, changes_of, not_told, patch_of

ROOT = "/home/dev/shop"
OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
NEW = "one\ntwo\nthree\n4\nfive\nsix\nseven\n"


def update(**fields: Any) -> dict[str, Any]:
    params = {"sessionId": "s", "update": fields}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def call(*records: dict[str, Any], call_id: str = "c1") -> list[dict[str, Any]]:
    """A call and its later records."""
    names = ["tool_call"] + ["tool_call_update"] * len(records)
    return [
        update(sessionUpdate=name, toolCallId=call_id, **record)
        for name, record in zip(names, records, strict=False)
    ]


def written(folder: Path, *messages: dict[str, Any]) -> Path:
    log = folder / "session.jsonl"
    opened = {"jsonrpc": "2.0", "id": 0, "method": "session/new", "params": {"cwd": ROOT}}
    lines = [
        json.dumps({"t": 1_780_000_000 + number, "dir": "agent->client", "msg": message})
        for number, message in enumerate((opened, *messages))
    ]
    log.write_text("".join(line + "\n" for line in lines))
    return log


def unified(old: str, new: str, name: str) -> str:
    lines = difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, name)
    return f"Index: {name}\n{'=' * 67}\n" + "".join(lines)


def diff(name: str, old: str | None, new: str, kind: str | None = None) -> dict[str, Any]:
    told = {"type": "diff", "path": f"{ROOT}/{name}", "oldText": old, "newText": new}
    return {**told, "_meta": {"kind": kind}} if kind else told


def expect(log: Path, before: Tree, after: Tree, left_out: set[str] | None = None) -> None:
    changes = changes_of(log)
    left_out = left_out or set()
    assert not_told(changes) == left_out
    assert_same(after, applied(before, patch_of(changes)), left_out)


def test_a_patch_in_the_outcome_tells_where_a_diff_is_only_a_part(tmp_path: Path) -> None:
    patch = unified(OLD, NEW, f"{ROOT}/a.txt")
    log = written(
        tmp_path,
        *call(
            {"kind": "edit", "title": "edit", "status": "pending", "rawInput": {}},
            {
                "status": "completed",
                "content": [diff("a.txt", "four", "4")],
                "rawOutput": {"output": "Done.", "metadata": {"diff": patch}},
            },
        ),
    )
    expect(log, {"a.txt": OLD.encode()}, {"a.txt": NEW.encode()})


def test_files_listed_in_the_outcome_are_each_what_their_kind_says(tmp_path: Path) -> None:
    def listed(name: str, kind: str, old: str, new: str, **more: str) -> dict[str, Any]:
        place = f"{ROOT}/{name}"
        patch = unified(old, new, place)
        return {"filePath": place, "type": kind, "diff": patch, "before": old, "after": new, **more}

    files = [
        listed("a.txt", "update", OLD, NEW),
        listed("gone.txt", "delete", "x\n", ""),
        listed("new.txt", "add", "", "y\n"),
        listed("from.txt", "move", OLD, OLD, movePath=f"{ROOT}/to.txt"),
    ]
    log = written(
        tmp_path,
        *call(
            {"kind": "edit", "title": "apply_patch", "status": "pending", "rawInput": {}},
            {"status": "completed", "rawOutput": {"output": "Done.", "metadata": {"files": files}}},
        ),
    )
    before = {"a.txt": OLD.encode(), "gone.txt": b"x\n", "from.txt": OLD.encode()}
    after = {"a.txt": NEW.encode(), "new.txt": b"y\n", "to.txt": OLD.encode()}
    expect(log, before, after)


def test_a_diff_that_is_said_to_delete_deletes(tmp_path: Path) -> None:
    content = [diff("gone.txt", "x\n", "", "delete"), diff("new.txt", "", "y\n", "add")]
    log = written(
        tmp_path,
        *call(
            {"kind": "edit", "title": "Editing files", "status": "in_progress", "content": content},
            {"status": "completed"},
        ),
    )
    expect(log, {"gone.txt": b"x\n"}, {"new.txt": b"y\n"})


def test_an_outcome_that_the_agent_adds_tells_the_whole_file(tmp_path: Path) -> None:
    cells = {"original_file": "{}\n", "updated_file": '{"cells": []}', "cell_id": "c1"}
    outcome = {**cells, "notebook_path": f"{ROOT}/nb.ipynb", "new_source": "", "error": ""}
    meta = {"claudeCode": {"toolName": "NotebookEdit"}}
    asked = {"notebook_path": f"{ROOT}/nb.ipynb", "cell_id": "c1", "new_source": ""}
    log = written(
        tmp_path,
        *call(
            {"_meta": meta, "kind": "edit", "title": "Edit", "rawInput": asked, "content": []},
            {"_meta": {"claudeCode": {"toolName": "NotebookEdit", "toolResponse": outcome}}},
            {
                "_meta": meta,
                "status": "completed",
                "rawOutput": "Updated cell c1 with ",
                "content": [{"type": "content", "content": {"type": "text", "text": "Updated"}}],
            },
        ),
    )
    expect(log, {"nb.ipynb": b"{}\n"}, {"nb.ipynb": b'{"cells": []}'})


def test_no_old_text_is_no_new_file_where_the_tool_says_otherwise(tmp_path: Path) -> None:
    log = written(
        tmp_path,
        *call(
            {
                "kind": "edit",
                "title": "Write",
                "content": [diff("a.txt", None, NEW)],
                "rawInput": {"file_path": f"{ROOT}/a.txt", "content": NEW},
            },
            {"status": "completed", "rawOutput": f"The file {ROOT}/a.txt has been updated."},
        ),
    )
    expect(log, {"a.txt": OLD.encode()}, {}, {"a.txt"})


def test_a_text_that_is_replaced_everywhere_shows_once_in_a_diff(tmp_path: Path) -> None:
    asked = {"file_path": f"{ROOT}/b.txt", "old_string": "x", "new_string": "y"}
    read = {"kind": "read", "title": "read", "rawInput": {"file_path": f"{ROOT}/b.txt"}}
    said = [
        {"type": "content", "content": {"type": "text", "text": "     1→x\n     2→x x\n     3→"}}
    ]
    log = written(
        tmp_path,
        *call(read, {"status": "completed", "content": said}, call_id="r"),
        *call(
            {
                "kind": "edit",
                "title": "Edit",
                "rawInput": {**asked, "replace_all": True},
                "content": [diff("b.txt", "x", "y")],
            },
            {"status": "completed"},
        ),
    )
    expect(log, {"b.txt": b"x\nx x\n"}, {"b.txt": b"y\ny y\n"})


@pytest.mark.parametrize("existed", [True, False])
def test_a_file_that_the_client_writes_is_explained_by_the_call_around_it(
    tmp_path: Path, existed: bool
) -> None:
    """The client is told the new text alone; the agent says, when all is done, what was there."""
    place = f"{ROOT}/a.txt"
    asked = {"filePath": place, "content": NEW}
    permission = {
        "toolCall": {
            "toolCallId": "c1",
            "kind": "edit",
            "title": place,
            "rawInput": {"filepath": place, "diff": unified(OLD, NEW, place)},
            "content": [diff("a.txt", OLD if existed else "", NEW)],
        },
        "options": [{"optionId": "once", "kind": "allow_once", "name": "Once"}],
    }
    done = {"output": "Wrote.", "metadata": {"filepath": place, "exists": existed}}
    first, second, last = call(
        {"kind": "edit", "title": "write", "status": "pending", "rawInput": {}},
        {"kind": "edit", "title": "write", "status": "in_progress", "rawInput": asked},
        {
            "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "Wrote."}}],
            "rawOutput": done,
        },
    )
    log = written(
        tmp_path,
        first,
        second,
        {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": permission},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "fs/write_text_file",
            "params": {"sessionId": "s", "path": place, "content": NEW},
        },
        last,
    )
    lines = log.read_text().splitlines()
    answer = '{"t":1780000004.5,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":2,"result":{}}}'
    log.write_text("\n".join([*lines[:-1], answer, lines[-1]]) + "\n")
    expect(log, {"a.txt": OLD.encode()} if existed else {}, {"a.txt": NEW.encode()})


def test_patches_asked_for_tell_more_than_parts_that_are_shown(tmp_path: Path) -> None:
    hunks = unified(OLD, NEW, "a.txt").partition("@@")
    changes = {f"{ROOT}/a.txt": {"type": "update", "unified_diff": "@@" + hunks[2]}}
    log = written(
        tmp_path,
        *call(
            {
                "kind": "edit",
                "title": "Edit a.txt",
                "rawInput": {"changes": changes},
                "content": [diff("a.txt", "four\n", "4\n")],
            },
            {"status": "completed"},
        ),
    )
    expect(log, {"a.txt": OLD.encode()}, {"a.txt": NEW.encode()})


@pytest.mark.parametrize("old", ["", None])
def test_lines_that_are_put_between_others_are_no_new_file(tmp_path: Path, old: str | None) -> None:
    content = [diff("a.txt", old, "two\n", "update")]
    log = written(
        tmp_path,
        *call(
            {"kind": "edit", "title": "Editing files", "content": content},
            {"status": "completed"},
        ),
    )
    expect(log, {"a.txt": b"one\n"}, {}, {"a.txt"})
