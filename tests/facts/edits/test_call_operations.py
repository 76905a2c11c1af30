"""What is told of single files: line ends, commands, moves, agents, what went wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentview.domain.tools import ToolKind
from agentview.facts.edits.messages import doubt_sentences, missing_sentences
from agentview.facts.edits.net_diff import ChangeMark
from agentview.facts.edits.operations import FileAction
from agentview.providers import load_provider
from agentview.sources.line_splitter import Line
from agentview.sources.lines import LineReader
from agentview.system.paths import sample_sessions_dir
from agentview.timeline.rows.reducing import reduce_lines
from agentview.timeline.rows.session_store import SessionStore
from tests.facts.edits.applying import Tree, applied, changes_of, load, nets, patch_of, worked
from tests.facts.edits.clients import ROOT, Claude, Codex, hunks_between

SAMPLES = sample_sessions_dir()


def log(client: Claude | Codex, tmp_path: Path) -> Path:
    return client.written(tmp_path / "log.jsonl")


def told(client: Claude | Codex, before: Tree, tmp_path: Path) -> Tree:
    return applied(before, patch_of(changes_of(log(client, tmp_path))))


def test_line_ends_of_windows_stay(tmp_path: Path):
    before = {"a.txt": b"one\r\ntwo\r\nthree\r\n"}
    client = Claude(before)
    client.edit("a.txt", "two\r\n", "2\r\nand\r\n")
    assert told(client, before, tmp_path) == {"a.txt": b"one\r\n2\r\nand\r\nthree\r\n"}


def test_what_the_client_saw_a_command_change_goes_before_its_words(tmp_path: Path):
    before = {"a.txt": b"one\ntwo\n", "gone.txt": b"gone\n", "kept.txt": b"kept\n"}
    client = Claude(before)
    seen = [
        {"filePath": f"{ROOT}/a.txt", "hunks": hunks_between("one\ntwo\n", "one\n2\n", 3)},
        {"filePath": f"{ROOT}/new.txt", "hunks": hunks_between("", "new\n", 3), "created": True},
        {"filePath": f"{ROOT}/gone.txt", "hunks": hunks_between("gone\n", "", 3), "deleted": True},
    ]
    result = {"stdout": "", "stderr": "", "bashEditDiff": {"files": seen, "moreFiles": 0}}
    client.call("Bash", "", result, command="./fix.sh > a.txt; rm -f kept.txt")
    client.tree["a.txt"] = "one\n2\n"
    client.edit("a.txt", "2", "zwei")
    assert told(client, before, tmp_path) == {
        "a.txt": b"one\nzwei\n",
        "kept.txt": b"kept\n",
        "new.txt": b"new\n",
    }


def test_line_ends_that_a_patch_does_not_tell_are_those_of_the_file(tmp_path: Path):
    before = {"a.txt": b"one\r\ntwo\r\nthree\r\n"}
    client = Codex(before, diffs=False)
    client.read("a.txt")
    client.patch(["*** Update File: a.txt", "@@", " one", "-two", "+2", " three"], {})
    text = told(client, before, tmp_path)["a.txt"]
    assert text.replace(b"\r", b"") == b"one\n2\nthree\n"


@pytest.mark.parametrize("originals", [True, False])
def test_line_ends_that_only_a_command_tells(originals: bool, tmp_path: Path):
    before = {"a.txt": b"one\r\ntwo\r\nthree"}
    for first in (True, False):
        client = Claude({"a.txt": b"one\ntwo\nthree"}, originals=originals)
        if first:
            client.command("cat a.txt", "one\r\ntwo\r\nthree")
        client.edit("a.txt", "two", "2\nand")
        if not first:
            client.command("cat a.txt", "one\r\n2\r\nand\r\nthree")
        assert told(client, before, tmp_path) == {"a.txt": b"one\r\n2\r\nand\r\nthree"}


def test_a_last_line_without_an_end(tmp_path: Path):
    before = {"a.txt": b"one\ntwo"}
    client = Claude(before)
    client.edit("a.txt", "one", "1")
    assert told(client, before, tmp_path) == {"a.txt": b"1\ntwo"}
    client.edit("a.txt", "two", "two\n")
    assert told(client, before, tmp_path) == {"a.txt": b"1\ntwo\n"}


def test_an_empty_file_is_made_filled_and_emptied(tmp_path: Path):
    before = {"full.txt": b"text\n"}
    client = Claude(before)
    client.write("empty.txt", "")
    client.write("new.txt", "")
    client.write("new.txt", "a\n")
    client.write("full.txt", "")
    expected = {"empty.txt": b"", "new.txt": b"a\n", "full.txt": b""}
    assert told(client, before, tmp_path) == expected


def test_a_file_that_is_made_by_replacing_nothing_is_new(tmp_path: Path):
    client = Claude({})
    client.call(
        "Edit",
        "The file has been updated.",
        {"filePath": f"{ROOT}/new.txt", "originalFile": "", "structuredPatch": []},
        file_path=f"{ROOT}/new.txt",
        old_string="",
        new_string="a\n",
    )
    client.flush()
    assert told(client, {}, tmp_path) == {"new.txt": b"a\n"}


def test_what_is_undone_is_no_change(tmp_path: Path):
    client = Claude({"a.txt": b"one\n"})
    client.edit("a.txt", "one", "two")
    client.edit("a.txt", "two", "one")
    changes = changes_of(log(client, tmp_path))
    assert patch_of(changes) == ""
    assert nets(changes)["a.txt"].mark is ChangeMark.SAME


def test_calls_that_failed_or_never_ended_do_nothing(tmp_path: Path):
    before = {"a.txt": b"one\n"}
    client = Claude(before)
    client.fail("a.txt")
    args = {"file_path": f"{ROOT}/a.txt", "content": "never written"}
    client.records.append(client.log.call("toolu_last", "Write", **args))
    changes = changes_of(log(client, tmp_path))
    assert not changes.files


def test_a_file_that_is_moved_edited_and_deleted(tmp_path: Path):
    before = {"a.py": b"one\ntwo\nthree\n", "b.py": b"x\n"}
    client = Codex(before)
    client.update("a.py", "one\n2\nthree\n", to="c/d.py")
    client.update("c/d.py", "1\n2\nthree\n")
    client.update("b.py", "y\n", to="e.py")
    client.delete("e.py")
    assert told(client, before, tmp_path) == {"c/d.py": b"1\n2\nthree\n"}


def test_what_a_command_writes_out_of_a_text_is_known(tmp_path: Path):
    client = Codex({"a.txt": b"old\n"})
    client.read("a.txt")
    client.shell("cat > a.txt <<'EOF'\nnew $x\nEOF\npython3 check.py", "")
    client.shell("cd sub && cat >> ../a.txt <<'EOF'\nmore\nEOF", "")
    before = {"a.txt": b"old\n"}
    assert told(client, before, tmp_path) == {"a.txt": b"new $x\nmore\n"}


def test_commands_one_after_the_other_are_told_apart(tmp_path: Path):
    before = {"a.py": b"a = 1\n", "b.txt": b"b\n"}
    client = Codex(before)
    client.read("b.txt")
    client.shell(
        "cd lib && mv ../a.py ../src/c.py && cd .. && rm b.txt; "
        "cat > d.txt <<'X'\na; b && c > e\nX\necho > $OUT",
        "",
    )
    changes = changes_of(log(client, tmp_path))
    assert {name: net.mark for name, net in nets(changes).items()} == {
        "b.txt": ChangeMark.DELETED,
        "src/c.py": ChangeMark.MOVED,
        "d.txt": ChangeMark.UNKNOWN,
    }
    assert applied(before, patch_of(changes)) == {"src/c.py": b"a = 1\n"}


def test_commands_that_seem_to_write_make_files_unsure(tmp_path: Path):
    client = Codex({})
    for command in (
        "printf 'x > quoted.txt' > plain.txt",
        "for i in 1 2; do echo $i >> loop.txt; done",
        "sed -i -e 's/a/b/' one.py 'two three.py' 2>/dev/null",
        "make 2>&1 | tee -a build.log",
        "perl -pi -e 's/;/,/' four.pl || true",
        "cp a.txt copy.txt; diff a b > /dev/null; git checkout -- five.txt",
        "python3 -c 'print(1 > 0)'",
    ):
        client.shell(command, "")
    found = nets(changes_of(log(client, tmp_path)))
    assert set(found) == {
        "plain.txt", "loop.txt", "one.py", "two three.py", "build.log", "copy.txt",
    }  # fmt: skip
    assert all(net.mark is ChangeMark.UNKNOWN and net.unsure for net in found.values())


def test_what_a_command_changed_shows_from_the_change_after_it(tmp_path: Path):
    before = {"a.txt": b"one\ntwo\nthree\n"}
    client = Codex(before)
    client.read("a.txt")
    client.shell("sed -i s/one/1/ a.txt", "")
    client.tree["a.txt"] = "1\ntwo\nthree\n"
    client.update("a.txt", "1\n2\nthree\n")
    changes = changes_of(log(client, tmp_path))
    assert applied(before, patch_of(changes)) == {"a.txt": b"1\n2\nthree\n"}
    assert nets(changes)["a.txt"].unsure


def test_a_command_that_may_have_changed_a_file_makes_it_unsure_until_it_is_read(tmp_path: Path):
    before = {"a.txt": b"one\ntwo\n"}
    client = Claude(before)
    client.edit("a.txt", "one", "1")
    client.command("sed -i 's/two/2/' a.txt")
    net = nets(changes_of(log(client, tmp_path)))["a.txt"]
    assert [trouble.step.act for trouble in net.unsure] == [FileAction.COMMAND]
    assert "a command may have changed it: sed -i" in next(doubt_sentences(net, "a.txt"))
    client.tree["a.txt"] = "1\n2\n"
    client.read("a.txt")
    changes = changes_of(log(client, tmp_path))
    assert not nets(changes)["a.txt"].unsure
    assert applied(before, patch_of(changes)) == {"a.txt": b"1\n2\n"}


def test_what_tools_of_other_servers_and_a_person_may_have_changed_is_named(tmp_path: Path):
    client = Claude({"a.txt": b"one\n", "b.txt": b"two\n"})
    client.edit("a.txt", "one", "1")
    client.call("mcp__files__edit_file", "done", {}, path=f"{ROOT}/a.txt", edits=[])
    client.call("mcp__files__move_file", "done", {}, source="b.txt", destination=f"{ROOT}/c.txt")
    client.call("mcp__hub__create_file", "done", {}, owner="me", path="d.txt", content="x")
    client.call("mcp__files__read_file", "two", {}, path=f"{ROOT}/b.txt")
    client.records.append(client.log.prompt("<bash-input>sed -i s/1/2/ a.txt</bash-input>"))
    changed = nets(changes_of(log(client, tmp_path)))
    assert sorted(changed) == ["a.txt", "b.txt", "c.txt"]
    assert [step.act for step in (trouble.step for trouble in changed["a.txt"].unsure)] == [
        FileAction.TOOL,
        FileAction.COMMAND,
    ]
    first, second = doubt_sentences(changed["a.txt"], "a.txt")
    assert first.endswith("a tool of another server may have changed it: files: edit_file")
    assert second.endswith("a command that you ran may have changed it: sed -i s/1/2/ a.txt")
    assert next(missing_sentences(changed["c.txt"], "c.txt")).endswith("files: move_file")


def test_what_a_command_echoes_is_written_unless_it_could_not_be(tmp_path: Path):
    client = Claude({})
    client.command("echo one > a.txt; echo 'two  2' >> a.txt")
    for name, said in (
        ("b.txt", "Exit code 1\n/bin/bash: line 1: b.txt: Read-only file system"),
        ("c.txt", 'Tool "Bash" not found. Did you mean another one?'),
        ("d/d.txt", "Exit code 1\n(eval):1: no such file or directory: d/d.txt"),
    ):
        client.records.append(client.log.call(name, "Bash", command=f"echo x > {name}"))
        client.records.append(client.log.result(name, said, f"Error: {said}", is_error=True))
    changes = worked(load(log(client, tmp_path)), assume_new=True)
    assert applied({}, patch_of(changes)) == {"a.txt": b"one\ntwo  2\n"}
    assert not {"b.txt", "c.txt", "d/d.txt"} & {*nets(changes)}


def test_what_somebody_else_changed_is_taken_in_and_told(tmp_path: Path):
    before = {"a.txt": b"one\ntwo\nthree\nfour\n"}
    client = Claude(before)
    client.edit("a.txt", "one", "1")
    client.tree["a.txt"] = "1\ntwo\n3\nfour\n"
    client.edit("a.txt", "four", "4")
    changes = changes_of(log(client, tmp_path))
    assert applied(before, patch_of(changes)) == {"a.txt": b"1\ntwo\n3\n4\n"}
    assert "something else had changed it" in nets(changes)["a.txt"].remarks[0].reason


def test_the_step_that_leaves_something_unknown_is_named(tmp_path: Path):
    client = Codex({"a.txt": b"one\n"}, diffs=False)
    client.shell("ls", "a.txt\n")
    client.delete("a.txt")
    net = nets(changes_of(log(client, tmp_path)))["a.txt"]
    sentence = next(missing_sentences(net, "a.txt"))
    assert sentence.startswith("a.txt is not in the patch: step 1, delete at ")
    assert sentence.endswith("the text that it deleted is not known")


def test_a_hunk_with_unknown_place_is_found_by_git(tmp_path: Path):
    lines = [f"line {number}" for number in range(60)]
    before = {"a.txt": "".join(f"{line}\n" for line in lines).encode()}
    client = Codex(before, diffs=False)
    client.update("a.txt", before["a.txt"].decode().replace("line 40\n", "forty\nand one\n"))
    changes = changes_of(log(client, tmp_path))
    assert applied(before, patch_of(changes))["a.txt"] == client.left()["a.txt"]
    assert "git looks for them" in nets(changes)["a.txt"].remarks[0].reason


def test_paths_that_lead_out_are_listed_and_in_no_patch(tmp_path: Path):
    client = Claude({})
    for name in ("../out.txt", "/etc/cron.d/x", ".git/hooks/pre-commit", "a/../../../b", "in.txt"):
        args = {"file_path": name if name.startswith("/") else f"{ROOT}/{name}", "content": "x\n"}
        result = {"type": "create", "filePath": args["file_path"], "content": "x\n"}
        client.call("Write", "File created", result | {"structuredPatch": []}, **args)
    changes = changes_of(log(client, tmp_path))
    assert applied({}, patch_of(changes)) == {"in.txt": b"x\n"}
    assert len(changes.files) == 5
    assert patch_of(changes).count("diff --git") == 1


def test_names_that_need_quotes(tmp_path: Path):
    names = ("a b", 'q"q', "tab\there", "new\nline", "日本/✅.txt", "back\\slash", " lead", "-n")
    client = Claude({})
    for name in names:
        client.write(name, "x\n")
    assert told(client, {}, tmp_path) == dict.fromkeys(names, b"x\n")


def test_text_that_looks_like_a_patch(tmp_path: Path):
    before = {"a.patch": b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}
    client = Claude(before)
    client.edit("a.patch", "@@ -1 +1 @@", "@@ -2 +2 @@\ndiff --git a/y b/y")
    assert told(client, before, tmp_path) == client.left()


def test_a_log_that_grows_tells_the_same_as_a_whole_one(tmp_path: Path):
    before = {"a.txt": b"one\ntwo\n", "b.txt": b"x\n"}
    client = Claude(before, at_once=2)
    client.read("a.txt")
    client.edit("a.txt", "one", "1")
    client.edit("a.txt", "two", "2")
    client.write("b.txt", "y\n")
    client.command("echo z > b.txt")
    client.flush()
    records = client.records
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(records))
    whole = changes_of(path)
    # Calls stand in the first part without their results.
    for cut in range(1, len(records)):
        path.write_bytes(b"".join(records[:cut]))
        provider = load_provider("claude_code")
        store = SessionStore(provider, provider.discovery.ref(path), live=True)
        reader = LineReader(path)
        _read_on(store, reader)
        changes = worked(store)
        with path.open("ab") as file:
            file.write(b"".join(records[cut:]))
        _read_on(store, reader)
        for _ in changes.working():
            pass
        assert patch_of(changes) == patch_of(whole)
        steps = [[step.act for step in file.steps] for file in changes.files.values()]
        assert steps == [[step.act for step in file.steps] for file in whole.files.values()]


def test_paths_count_from_the_directory_that_is_known_later(tmp_path: Path):
    records = (SAMPLES / "codex/printed/code_mode.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join(records))
    whole = changes_of(path)
    path.write_bytes(b"".join(records[:10]))
    provider = load_provider("codex")
    store = SessionStore(provider, provider.discovery.ref(path), live=True)
    reader = LineReader(path)
    _read_on(store, reader)
    changes = worked(store)
    assert [changes.root, *changes.files] == [None, "src/app.py", "README.md"]
    with path.open("ab") as file:
        file.write(b"".join(records[10:]))
    _read_on(store, reader)
    for _ in changes.working():
        pass
    assert changes.root == whole.root
    assert sorted(changes.files) == sorted(whole.files)


def _read_on(store: SessionStore, reader: LineReader) -> None:
    lines = [item for item in reader.poll().items if isinstance(item, Line)]
    store.append(reduce_lines(store.session, lines))


def test_what_was_rewound_stays_on_disk(tmp_path: Path):
    records = (SAMPLES / "gemini_cli/demo.jsonl").read_bytes().splitlines(keepends=True)
    at = next(index for index, record in enumerate(records) if b'"newContent"' in record)
    message = json.loads(records[at])["id"]
    rewind = json.dumps({"$rewindTo": message}).encode() + b"\n"
    path = tmp_path / "log.jsonl"
    path.write_bytes(b"".join([*records[: at + 1], rewind]))
    store = load(path)
    kinds = [store.kind(row) for row in range(store.first, store.end) if store.shown(row)]
    assert ToolKind.EDIT not in kinds
    net = nets(changes_of(path))["src/cart.py"]
    assert net.added == 1
    assert "the conversation went back to before it" in net.unsure[0].reason


def test_mode_and_binary_notes_of_a_patch(tmp_path: Path):
    client = Codex({"run.sh": b"x\n"}, diffs=False)
    patch = (
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n"
    )
    arguments: dict[str, Any] = {"input": patch}
    client.add_record(
        "response_item",
        {
            "type": "function_call",
            "name": "apply_patch",
            "arguments": json.dumps(arguments),
            "call_id": "c1",
        },
    )
    done = {"type": "function_call_output", "call_id": "c1", "output": "Done!"}
    client.add_record("response_item", done)
    found = nets(changes_of(log(client, tmp_path)))
    assert found["run.sh"].modes == ("100644", "100755")
    assert "old mode 100644\nnew mode 100755\n" in patch_of(changes_of(log(client, tmp_path)))
    assert "binary" in found["logo.png"].missing[0].reason
