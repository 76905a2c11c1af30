"""The main forms of diffs as pictures: `python -m tests.ui.render.diff_forms` writes them anew."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace
from rich.segment import Segment

from agentview.domain.activity import Activity
from agentview.domain.tool_inputs import EditPayload, FileEdit, FileOperation, WritePayload
from agentview.domain.tool_results import ChangeResult, FileChange, Hunk
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.diff.from_call import compare
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.lazy_lines import RenderContext
from tests.ui.activities import CWD, activity, call
from tests.ui.tools.matrix import PALETTE, svg

FOLDER = Path(__file__).parent / "diff_snapshots"
WIDTHS = (80, 160)

OLD = '''def delay(attempt: int) -> float:
    """Seconds to wait before an attempt."""
    return base * 2 ** attempt


class Client:
    timeout = 10
    retries = 3

    def fetch(self, url):
        for attempt in range(self.retries):
            try:
                return self.session.get(url, timeout=self.timeout, headers={"agent": "shop/1.2"})
            except TimeoutError:
                sleep(delay(attempt))
'''
NEW = (
    OLD.replace(
        "    return base * 2 ** attempt",
        "    wait = base * 2 ** attempt  # 待つ 秒\n    return min(cap, wait)",
    )
    .replace("timeout = 10", "timeout = 30")
    .replace("shop/1.2", "shop/1.3")
    .replace("range(self.retries):", "count():  \n            log.debug(attempt)")
)


def _hunks() -> tuple[Hunk, ...]:
    """As recorded: numbers of a longer file, and what the hunks are in."""
    return tuple(
        replace(
            hunk,
            old_start=hunk.old_start + 120 + 40 * number,
            new_start=hunk.new_start + 120 + 40 * number,
            heading="class Client:" if number else "",
        )
        for number, hunk in enumerate(compare(OLD, NEW, 1)[0])
    )


def _edit(*changes: FileChange) -> Activity:
    asked = EditPayload(tuple(FileEdit(change.path) for change in changes))
    return activity(call(ToolKind.EDIT, asked, ChangeResult(changes)))


_RETRY = FileChange(f"{CWD}/src/retry.py", hunks=_hunks())
_CREATED = compare("", "export const a = 1;\n\tconst tab = `x${a}`;\n")[0]
_SCRIPT = Hunk(
    *(1, 1, 1, 1),
    ("-echo \x1b[31mred [bold]", "+echo 'no end'", "\\ No newline at end of file"),
    heading="main()",
)
_LONG = Hunk(1, 700, 1, 700, ("-1",) * 700 + ("+2",) * 700)
_ENDS = (" one\r", "-\ttwo", "+    two\r", " three\r")

FORMS: Mapping[str, Activity] = {
    "one file": _edit(_RETRY),
    "several files": _edit(
        _RETRY,
        FileChange(f"{CWD}/web/new.ts", FileOperation.CREATE, hunks=_CREATED),
        FileChange(f"{CWD}/gone.txt", FileOperation.DELETE, hunks=(Hunk(1, 1, 0, 0, ("-gone",)),)),
        FileChange(f"{CWD}/a.py", FileOperation.RENAME, move_to=f"{CWD}/b.py"),
        FileChange(f"{CWD}/run.sh", hunks=(_SCRIPT,), notes=("mode changed from 644 to 755",)),
        FileChange(f"{CWD}/logo.png", hunks=(), notes=("binary file",)),
        FileChange(f"{CWD}/lock.json", hunks=(_LONG,)),
        FileChange(f"{CWD}/win.txt", before="a\r\nb\r\n", after="a\nb\nc"),
        FileChange(f"{CWD}/mixed.txt", hunks=(Hunk(8, 3, 8, 3, _ENDS),)),
    ),
    "overwritten": activity(
        call(
            ToolKind.WRITE,
            WritePayload(f"{CWD}/src/retry.py", NEW),
            ChangeResult((replace(_RETRY, hunks=None, before=OLD, after=NEW),)),
        )
    ),
}
"""Activities by the name of their form."""


def sheet(width: int) -> str:
    """A picture of all forms, at summary and at full level, the last of them with all folded."""
    rows: list[list[Segment]] = []
    folded = "several files", DetailLevel.FULL, Folds(every=False)
    levels = [
        (name, level, Folds())
        for name in FORMS
        for level in (DetailLevel.SUMMARY, DetailLevel.FULL)
    ]
    for name, level, folds in (*levels, folded):
        shown = RowLayout(FORMS[name], level, RenderContext(width, PALETTE, folds=folds))
        rows.append([Segment(f"{name} · {level.value}", PALETTE.heading)])
        rows += [list(strip) for strip in shown.strips(0, shown.height)]
        rows.append([])
    return svg(rows, width)


if __name__ == "__main__":
    os.environ["TZ"] = "UTC"
    time.tzset()
    FOLDER.mkdir(exist_ok=True)
    for width_ in WIDTHS:
        (FOLDER / f"{width_}.svg").write_text(sheet(width_), encoding="utf-8")
