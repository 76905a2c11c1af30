"""Logs with text in every string field that tries to act on a terminal, for every provider."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from agentview.providers import load_provider, provider_names
from agentview.providers.base import HEAD_BYTES
from tests.samples import line_samples

MARK = "777"
"""A number in sequences of the payloads that the program itself has no use for."""

PAYLOADS = (
    # Sequences that set, move, erase, ask, switch, conceal.
    f"\x1b[38;5;{MARK}m", "\x1b[8m", "\x1b[5;6m", f"\x1b[{MARK};{MARK}H", "\x1b[2J\x1b[3J",
    f"\x1b[{MARK}A", f"\x1b[?{MARK}h", "\x1b[6n\x1b[5n\x1b[c\x1b[>c", "\x1b[21t",
    "\x1b[200~x\x1b[201~",
    "\x1bc", "\x1b7\x1b8\x1bM\x1b#8", "\x1b(0lqk\x1b(B", f"\x1b[{MARK}b",
    # Strings to the terminal: title, clipboard, link, notification, colours, DCS, APC, PM, SOS.
    f"\x1b]0;{MARK}\x07", f"\x1b]2;{MARK}\x1b\\", f"\x1b]52;c;{MARK}\x07", f"\x1b]52;c;?{MARK}\x07",
    f"\x1b]8;;http://{MARK}.example\x1b\\x\x1b]8;;\x1b\\", f"\x1b]9;{MARK}\x07",
    f"\x1b]777;notify;a;{MARK}\x07", f"\x1b]99;i={MARK};x\x1b\\", "\x1b]10;?\x07\x1b]11;?\x07",
    f"\x1bPq#{MARK}\x1b\\", f"\x1bP$q{MARK}\x1b\\", f"\x1b_G{MARK}\x1b\\", f"\x1b^{MARK}\x1b\\",
    f"\x1bX{MARK}\x1b\\", f"\x1b]1337;File={MARK}:x\x07",
    # The same with controls of eight bits, and controls alone.
    f"\x9b{MARK}m", f"\x9d52;c;{MARK}\x9c", f"\x90q{MARK}\x9c", f"\x9f{MARK}\x9c",
    "\x84\x85\x8d\x8e",
    "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0c\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19",
    "\x1a\x1c\x1d\x1e\x1f\x7f", "over\rwritten",
    # Text that reorders, hides or floods, and what toolkits read as markup.
    "\u202eright\u202c\u2066to\u2069\u200eleft\u200f\u061c",
    "zero\u200bwidth\u200c\u200d\ufeff\u2060",
    "\u2028\u2029", "e" + "\u0301" * 40, "\u0e01" + "\u0e47" * 40, "\U000e0041\U000e007f",
    "[bold red]markup[/bold red][/] [@click=app.quit]x[/]", "[link=http://evil.example]x[/link]",
    "<b onclick=x>", "\ud83d\udc00", "%s%n{0}{x}$(id)`id`", "../../" + MARK,
)  # fmt: skip

TEXT = " ".join(PAYLOADS)

ACTS = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"
    "|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\U000e0000-\U000e0fff]"
)
"""Characters that act on a terminal, or on how text is read, and are never printed."""

_SAMPLES, _LINES = 2, 16
"""How many samples of a provider are taken, and how many lines of each."""

_KEPT_KEYS = frozenset(
    """type subtype role kind method jsonrpc direction protocol provider status record_type
    part_kind event_kind event variant sessionUpdate operation level trigger stop_reason
    item_type phase key""".split()  # noqa: SIM905
)
_NAMES = frozenset({"name", "toolName", "tool_name", "title", "tool"})
_TIME = re.compile(r"\d{4}-\d\d-\d\dT")


def hostile_logs(directory: Path) -> Iterator[tuple[str, Path]]:
    """Provider and path of hostile copies of samples.

    Names of tools are hostile in every second line: in the others, tools are recognised. Of a
    provider with two logs, the first has them in the lines with odd numbers, the second in those
    with even ones.
    """
    taken: Counter[str] = Counter()
    for sample in sorted(line_samples(), key=lambda sample: sample.path.stem != "demo"):
        provider = sample.provider.name
        if taken[provider] == _SAMPLES:
            continue
        first = taken[provider]
        lines = [
            _hostile_line(line, names=(number + first) % 2 == 1)
            for number, line in enumerate(sample.data.splitlines()[:_LINES])
        ]
        if not _is_recognised(provider, lines, sample.path):
            # In front of the only line, so that there is a hostile one.
            lines[: len(lines) > 1] = [sample.data.splitlines()[0]]
        path = directory / provider / f"{sample.name.replace('/', '-')}.jsonl"
        if not _is_recognised(provider, lines, path):
            continue
        taken[provider] += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(lines) + b"\n")
        yield provider, path


def providers_of_lines() -> set[str]:
    """Names of the providers whose logs are lines."""
    return {sample.provider.name for sample in line_samples()} & set(provider_names())


def _is_recognised(provider: str, lines: list[bytes], path: Path) -> bool:
    head = b"\n".join(lines)[:HEAD_BYTES]
    return load_provider(provider).discovery.probe(head, path) > 0


def _hostile_line(line: bytes, *, names: bool) -> bytes:
    try:
        value: Any = json.loads(line)
    except ValueError:
        return line
    return json.dumps(_hostile(value, "", names=names)).encode()


def _hostile(value: Any, key: str, *, names: bool) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {name: _hostile(item, name, names=names) for name, item in members.items()}
    if isinstance(value, list):
        return [_hostile(item, key, names=names) for item in cast("list[Any]", value)]
    if not isinstance(value, str) or key in _KEPT_KEYS or _TIME.match(value):
        return value
    return value if key in _NAMES and not names else f"{value} {TEXT}"
