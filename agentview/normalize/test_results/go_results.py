"""Output of `go test`, as text or with -json."""

import re
from collections.abc import Sequence

import msgspec

from agentview.domain.suite_result import FailedTest, SuiteResult
from agentview.normalize.test_results.counting import result_of

_TEST = re.compile(r" *--- (?P<what>PASS|FAIL|SKIP): (?P<name>.+) \([\d.]+s\)")
_PACKAGE = re.compile(r"(?P<what>ok  |FAIL)\t(?P<name>\S+)(?:\t.*| \[(?P<why>[a-z ]+)\])?")
_MESSAGE = re.compile(r"\s+(?P<path>[^\s:]+\.go):(?P<line>\d{1,9}): (?P<text>.*)")
_FRAME = re.compile(r"\t(?P<path>\S+_test\.go):(?P<line>\d{1,9}) \+0x[0-9a-f]+")
_STARTS = re.compile(r"=== (?:RUN|CONT|NAME|PAUSE)  ? ?\s*(?P<name>.+)")


class _Output(msgspec.Struct):
    action: str = msgspec.field(name="Action")
    output: str = msgspec.field(name="Output", default="")


_DECODER = msgspec.json.Decoder(_Output)


def from_json(text: str) -> str:
    """The text that `go test -json` would have printed without -json; other lines as they are."""
    parts: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("{"):
            parts.append(line + "\n")
            continue
        try:
            parts.append(_DECODER.decode(line).output)
        except msgspec.MsgspecError:
            parts.append(line + "\n")
    return "".join(parts)


def go(lines: Sequence[str]) -> SuiteResult | None:
    """Results of `go test`; passed tests are counted only if it printed them (-v)."""
    packages = [match for line in lines if (match := _PACKAGE.fullmatch(line)) is not None]
    if not packages:
        return None
    messages = _messages(lines)
    outcomes: dict[str, str] = {}
    for line in lines:
        if (test := _TEST.fullmatch(line)) is not None:
            outcomes[test["name"]] = test["what"]
    # A test with tests of its own has their outcome.
    parents = {name.rpartition("/")[0] for name in outcomes}
    leaves = {name: what for name, what in outcomes.items() if name not in parents}
    failures = [
        FailedTest(name, *messages.get(name, (None, None, None)))
        for name, what in leaves.items()
        if what == "FAIL"
    ]
    broken = [one for one in packages if one["why"] is not None and one["what"] == "FAIL"]
    failures += [FailedTest(one["name"], message=one["why"]) for one in broken]
    found: dict[str, int] = {}
    verbose = any(line.startswith("=== RUN") for line in lines)
    if verbose:
        found["passed"] = sum(what == "PASS" for what in leaves.values())
    if verbose or len(failures) > len(broken):
        found["failed"] = len(failures) - len(broken)
    if skipped := sum(what == "SKIP" for what in leaves.values()):
        found["skipped"] = skipped
    if broken:
        found["errors"] = len(broken)
    if not found and any(one["what"] == "FAIL" for one in packages):
        return None
    return result_of(found, failures)


def _messages(lines: Sequence[str]) -> dict[str, tuple[str | None, int | None, str | None]]:
    """Place and text of the first message of each test: below its outcome, with -v above it."""
    found: dict[str, tuple[str | None, int | None, str | None]] = {}
    name: str | None = None
    panic: str | None = None
    for line in lines:
        if (started := _STARTS.fullmatch(line)) or (started := _TEST.fullmatch(line)):
            name, panic = started["name"], None
        elif name is not None and (text := _MESSAGE.fullmatch(line)) is not None:
            found.setdefault(name, (text["path"], int(text["line"]), text["text"] or None))
        elif line.startswith("panic: "):
            panic = line
        elif panic and name is not None and (frame := _FRAME.fullmatch(line)) is not None:
            found.setdefault(name, (frame["path"], int(frame["line"]), panic))
    return found
