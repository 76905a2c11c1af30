"""The main forms of commands, files and lists, as pictures at two widths.

`python -m tests.ui.tools.forms` writes them anew; then look at them.
"""

import base64
import io
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace
from PIL import Image
from rich.segment import Segment

from agentview.domain.activity import Activity
from agentview.domain.content import ImageBlock, TextBlock
from agentview.domain.tool_inputs import (
    GrepPayload,
    LsPayload,
    Payload,
    ReadPayload,
    ShellPayload,
)
from agentview.domain.tool_results import (
    Diagnostic,
    LintsResult,
    Match,
    MatchResult,
    NotebookCell,
    PathsResult,
    ReadResult,
    Result,
    SearchHit,
    SearchResult,
    ShellResult,
)
from agentview.domain.tools import ToolKind, ToolState
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.lazy_lines import RenderContext
from tests.ui.activities import CALLS, CWD, OUTPUT, SOURCE, START, activity, running
from tests.ui.tools.matrix import PALETTE, svg

FOLDER = Path(__file__).parent / "form_snapshots"
WIDTHS = (80, 160)

_SCRIPT = (
    "cd src && cat > retry/delay.py <<'EOF'\n"
    + SOURCE
    + 'EOF\nfor test in tests/test_*.py; do\n  pytest -q "$test" | tail -3\ndone'
)
_BARS = "pulling\n\n\n" + "".join(
    f"\x1b[2A\x1b[2Kbase   {'█' * (step // 5):<20} {step:>3}%\r\n"
    f"\x1b[2Klayer  {'█' * (step // 10):<20} {step // 2:>3}%\r\n"
    for step in range(0, 101, 5)
)
_COLOURS = (
    "".join(f"\x1b[{code}m{code:>4}\x1b[0m" for code in (*range(30, 38), *range(90, 98)))
    + "\n"
    + "".join(f"\x1b[48;5;{code}m  \x1b[0m" for code in range(16, 52))
    + "\n"
    + "".join(f"\x1b[38;2;{255 - 6 * step};{6 * step};160m▄\x1b[0m" for step in range(40))
)


def _made(
    kind: ToolKind, result: Result, payload: Payload | None = None, *, ok: bool = True
) -> Activity:
    call = replace(CALLS[kind], result=result, ok=ok)
    if not ok:
        call = replace(call, state=ToolState.OUTPUT_ERROR, error="failed")
    return activity(call if payload is None else replace(call, payload=payload))


def _image() -> ImageBlock:
    out = io.BytesIO()
    pixels = bytes(part for y in range(20) for x in range(48) for part in (x * 5, y * 12, 160))
    Image.frombytes("RGB", (48, 20), pixels).save(out, "PNG")
    return ImageBlock("image/png", base64.b64encode(out.getvalue()).decode())


def _found(path: str, *lines: tuple[int, str], around: Sequence[int] = ()) -> tuple[Match, ...]:
    return tuple(
        Match(f"{CWD}/{path}", number, text, context=number in around) for number, text in lines
    )


_DELAY = "    def delay(self, attempt: int) -> float:"
FORMS: Mapping[str, Activity] = {
    "shell": _made(
        ToolKind.SHELL,
        ShellResult(stdout=OUTPUT, stderr="warning: 2 plugins\nTraceback (most …)", exit_code=1),
        ShellPayload(_SCRIPT, cwd=f"{CWD}/web", timeout=120.0, description="Write and test it"),
        ok=False,
    ),
    "bars": replace(running(CALLS[ToolKind.SHELL]), progress=_BARS),
    "colours": _made(ToolKind.SHELL, ShellResult(stdout=_COLOURS), ShellPayload("./colours")),
    "background": _made(
        ToolKind.SHELL, ShellResult(task_id="b12"), ShellPayload("npm run dev", background=True)
    ),
    "read": _made(ToolKind.READ, ReadResult(SOURCE, 121, 16, 1_336, truncated=True)),
    "notebook": _made(
        ToolKind.READ,
        ReadResult(
            cells=(
                NotebookCell("markdown", "# Delays\nas *measured*", "c0"),
                NotebookCell("code", "np.ones(3)", "c1", "python", (TextBlock("array([1.])"),)),
            )
        ),
        ReadPayload(f"{CWD}/plots.ipynb"),
    ),
    "image": _made(ToolKind.READ, ReadResult(media=(_image(),)), ReadPayload(f"{CWD}/logo.png")),
    "grep": _made(
        ToolKind.GREP,
        MatchResult(
            (
                *_found(
                    "src/retry.py",
                    (12, ""),
                    (13, _DELAY),
                    (14, "        # Doubles with every attempt."),
                    (40, "def delayed(call):"),
                    around=(12, 14),
                ),
                *_found("tests/日本/test_retry.py", (1_041, "def test_delay():  # 遅延 delay")),
            ),
            truncated=True,
        ),
        GrepPayload(r"(def )?delay\w*", path=f"{CWD}"),
    ),
    "counts": _made(
        ToolKind.GREP,
        MatchResult((Match(f"{CWD}/src/retry.py", count=7), Match(f"{CWD}/a.py", count=1_200))),
    ),
    "tree": _made(
        ToolKind.LS,
        PathsResult(
            tuple(f"{CWD}/{path}" for path in ("src/", "src/api/a.py", "src/b.py", "README.md")),
            count=40,
        ),
        LsPayload(CWD),
    ),
    "search": _made(
        ToolKind.SEM_SEARCH,
        SearchResult(
            (
                SearchHit(f"{CWD}/src/retry.py", 13, 14, _DELAY + "\n        return 1", 0.913),
                SearchHit(f"{CWD}/docs/retry.md", 1, 1, "# How long to wait", 0.4),
            )
        ),
    ),
    "lints": _made(
        ToolKind.READ_LINTS,
        LintsResult(
            (
                Diagnostic(f"{CWD}/src/b.py", "Line is too long " * 6, "hint", 9, 1, "ruff"),
                Diagnostic(f"{CWD}/src/b.py", "Name is not defined", "error", 13, 9, "pyright"),
                Diagnostic(f"{CWD}/src/a.py", "Import is not used", "warning", 3, 1),
            )
        ),
    ),
}
"""Activities by the name of their form."""


def sheet(width: int) -> str:
    """A picture of all forms, at summary and, where that is different, at full level."""
    rows: list[list[Segment]] = []
    for name, of in FORMS.items():
        seen: list[str] = []
        for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
            space = RenderContext(width, PALETTE, folds=Folds())
            shown = RowLayout(of, level, space, clock=lambda: START + 12)
            made = [list(strip) for strip in shown.strips(0, shown.height)]
            text = "".join(segment.text for row in made for segment in row)
            if text not in seen:
                rows += [[Segment(f"{name} · {level.value}", PALETTE.heading)], *made, []]
            seen.append(text)
    return svg(rows, width)


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for width_ in WIDTHS:
        (FOLDER / f"{width_}.svg").write_text(sheet(width_), encoding="utf-8")
