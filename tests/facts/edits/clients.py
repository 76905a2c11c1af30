"""Sessions that change files, written as clients write them, with the files that they leave."""

import difflib
import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

from tests.claude_log import ClaudeLog
from tests.facts.edits.applying import Tree

ROOT = "/home/dev/shop"


def _lines(text: str) -> list[str]:
    """Lines with their ends, told apart by newlines only."""
    *lines, last = text.split("\n")
    return [line + "\n" for line in lines] + ([last] if last else [])


def hunks_between(old: str, new: str, context: int) -> list[dict[str, Any]]:
    """Hunks as recorded under `structuredPatch`."""
    before, after = _lines(old), _lines(new)
    found: list[dict[str, Any]] = []
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for group in matcher.get_grouped_opcodes(context):
        lines: list[str] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [part for line in before[a:b] for part in _signed(" ", line)]
                continue
            lines += [part for line in before[a:b] for part in _signed("-", line)]
            lines += [part for line in after[c:d] for part in _signed("+", line)]
        first, last = group[0], group[-1]
        old_count, new_count = last[2] - first[1], last[4] - first[3]
        found.append(
            {
                "oldStart": first[1] + 1 if old_count else first[1],
                "oldLines": old_count,
                "newStart": first[3] + 1 if new_count else first[3],
                "newLines": new_count,
                "lines": lines,
            }
        )
    return found


def _signed(sign: str, line: str) -> list[str]:
    if line.endswith("\n"):
        return [sign + line[:-1]]
    return [sign + line, "\\ No newline at end of file"]


def unified(old: str, new: str, context: int) -> str:
    """The same as the text of a patch without file names."""
    parts: list[str] = []
    for hunk in hunks_between(old, new, context):
        parts.append(
            f"@@ -{hunk['oldStart']},{hunk['oldLines']} +{hunk['newStart']},{hunk['newLines']} @@"
        )
        parts += hunk["lines"]
    return "\n".join(parts) + "\n"


class Client:
    """A tree of files, and the records of what was done to them."""

    def __init__(self, tree: Tree) -> None:
        self.tree = {name: data.decode() for name, data in tree.items()}
        self.records: list[bytes] = []
        self.ids = count()

    def left(self) -> Tree:
        return {name: text.encode() for name, text in self.tree.items()}

    def written(self, path: Path) -> Path:
        path.write_bytes(b"".join(self.records))
        return path


class Claude(Client):
    """Claude Code; `originals` and `patches` tell what its results record.

    So many calls stand in a row before their results do: `at_once`.
    """

    def __init__(
        self, tree: Tree, *, originals: bool = True, patches: bool = True, at_once: int = 1
    ) -> None:
        super().__init__(tree)
        self.log = ClaudeLog()
        self.at_once = at_once
        self.held: list[tuple[str, str, Any, dict[str, Any]]] = []
        self.originals, self.patches = originals, patches
        self.records.append(self.log.prompt("Please change the files"))

    def call(self, name: str, said: str, result: dict[str, Any] | None, **args: Any) -> None:
        call = f"toolu_{next(self.ids)}"
        self.records.append(self.log.call(call, name, **args))
        told = result if self.originals or self.patches else None
        self._answer(call, said, told)

    def _answer(self, call: str, said: str, told: Any, **fields: Any) -> None:
        self.held.append((call, said, told, fields))
        if len(self.held) >= self.at_once:
            self.flush()

    def flush(self) -> None:
        """Write the results that were held back."""
        for call, said, told, fields in self.held:
            self.records.append(self.log.result(call, said, told, **fields))
        self.held.clear()

    def written(self, path: Path) -> Path:
        self.flush()
        return super().written(path)

    def read(self, name: str) -> None:
        text = self.tree[name]
        lines = text.split("\n")
        file = {
            "filePath": f"{ROOT}/{name}",
            "content": text,
            "numLines": len(lines),
            "startLine": 1,
            "totalLines": len(lines),
        }
        numbered = "\n".join(f"{number:6}→{line}" for number, line in enumerate(lines, 1))
        self.call("Read", numbered, {"type": "text", "file": file}, file_path=f"{ROOT}/{name}")

    def write(self, name: str, text: str) -> None:
        old = self.tree.get(name)
        self.tree[name] = text
        said = "File created successfully at: x" if old is None else "The file x has been updated."
        result = {
            "type": "create" if old is None else "update",
            "filePath": f"{ROOT}/{name}",
            "content": text,
            "structuredPatch": [] if old is None else self._hunks(old, text),
            "originalFile": old if self.originals else None,
        }
        self.call("Write", said, result, file_path=f"{ROOT}/{name}", content=text)

    def edit(self, name: str, old: str, new: str, *, every: bool = False) -> None:
        text = self.tree[name]
        assert old in text
        self.tree[name] = text.replace(old, new, -1 if every else 1)
        result = {
            "filePath": f"{ROOT}/{name}",
            "oldString": old,
            "newString": new,
            "originalFile": text if self.originals else None,
            "structuredPatch": self._hunks(text, self.tree[name]),
            "userModified": False,
            "replaceAll": every,
        }
        said = f"The file {ROOT}/{name} has been updated."
        args = {"file_path": f"{ROOT}/{name}", "old_string": old, "new_string": new}
        self.call("Edit", said, result, **args, **({"replace_all": True} if every else {}))

    def fail(self, name: str) -> None:
        call = f"toolu_{next(self.ids)}"
        args = {"file_path": f"{ROOT}/{name}", "old_string": "not there", "new_string": "x"}
        self.records.append(self.log.call(call, "Edit", **args))
        error = "String to replace not found in file."
        self._answer(call, error, f"Error: {error}", is_error=True)

    def command(self, command: str, output: str = "") -> None:
        result = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        self.call("Bash", output, result, command=command)

    def _hunks(self, old: str, new: str) -> list[dict[str, Any]]:
        return hunks_between(old, new, 3) if self.patches else []


class Codex(Client):
    """Codex; `diffs` tells whether its results record what was changed, with line numbers."""

    def __init__(self, tree: Tree, *, diffs: bool = True) -> None:
        super().__init__(tree)
        self.diffs = diffs
        self.add_record(
            "session_meta",
            {
                "id": "01a1fb6e-0000-7ab3-a297-304538f3c5a9",
                "timestamp": "2026-11-21T10:00:00.000Z",
                "cwd": ROOT,
                "originator": "codex_exec",
                "cli_version": "0.169.0",
                "source": "exec",
            },
        )

    def add_record(self, kind: str, payload: dict[str, Any]) -> None:
        seconds = len(self.records)
        time = f"2026-11-21T{10 + seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
        record = {"timestamp": f"{time}.000Z", "type": kind, "payload": payload}
        self.records.append(json.dumps(record, ensure_ascii=False).encode() + b"\n")

    def shell(self, command: str, output: str) -> None:
        call = f"call_{next(self.ids)}"
        arguments = json.dumps({"cmd": command})
        self.add_record(
            "response_item",
            {
                "type": "function_call",
                "name": "exec_command",
                "arguments": arguments,
                "call_id": call,
            },
        )
        said = f"Wall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n{output}"
        self.add_record(
            "response_item", {"type": "function_call_output", "call_id": call, "output": said}
        )

    def read(self, name: str) -> None:
        self.shell(f"cat '{name}'", self.tree[name])

    def patch(self, sections: Sequence[str], changes: dict[str, Any]) -> None:
        call = f"call_{next(self.ids)}"
        text = "*** Begin Patch\n" + "\n".join(sections) + "\n*** End Patch"
        self.add_record(
            "response_item",
            {
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": call,
                "name": "apply_patch",
                "input": text,
            },
        )
        if self.diffs:
            payload: dict[str, Any] = {
                "type": "patch_apply_end",
                "call_id": call,
                "stdout": "Success. Updated the following files:\n",
                "stderr": "",
                "success": True,
                "changes": changes,
            }
            self.add_record("event_msg", payload)
        said = (
            "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\n"
        )
        self.add_record(
            "response_item", {"type": "custom_tool_call_output", "call_id": call, "output": said}
        )

    def add(self, name: str, text: str) -> None:
        self.tree[name] = text
        lines = [f"+{line}" for line in text.split("\n")[:-1]]
        section = f"*** Add File: {name}"
        change = {"type": "add", "content": text}
        self.patch([section, *lines], {f"{ROOT}/{name}": change})

    def delete(self, name: str) -> None:
        change = {"type": "delete", "content": self.tree.pop(name)}
        self.patch([f"*** Delete File: {name}"], {f"{ROOT}/{name}": change})

    def update(self, name: str, new: str, *, context: int = 3, to: str | None = None) -> None:
        old = self.tree.pop(name)
        # This client writes every line with its end.
        new = new if new.endswith("\n") or not new else new + "\n"
        self.tree[to or name] = new
        sections = [f"*** Update File: {name}"] + ([f"*** Move to: {to}"] if to else [])
        for hunk in hunks_between(old, new, context):
            sections += ["@@", *(line for line in hunk["lines"] if line[0] != "\\")]
        change = {
            "type": "update",
            "unified_diff": unified(old, new, 1),
            "move_path": f"{ROOT}/{to}" if to else None,
        }
        self.patch(sections, {f"{ROOT}/{name}": change})
