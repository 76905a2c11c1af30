"""Tables that a command printed, in columns that fit the room."""

from collections.abc import Sequence

from msgspec.structs import replace
from rich.cells import cell_len

from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tool_results import ShellResult
from agentview.domain.tools import ToolKind
from agentview.normalize.printed_tables import PrintedTable
from agentview.timeline.view.activity.clipboard_text import copied_output
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.lazy_lines import RenderContext
from agentview.ui.render.table import table_body
from tests.ui.activities import CALLS, activity
from tests.ui.render.looks import PALETTE, styled, texts, wide

PODS = PrintedTable(
    ("NAME", "RESTARTS", "NODE"),
    (
        ("api-7d4b9c9b6d-2xk9p-with-a-long-name", "1", "gke-main-pool-1"),
        ("数据库-0", "12", ""),
    ),
)
LINES = ("NAME RESTARTS NODE", "api…", "数据库-0")


def rows(space: RenderContext, *, fold: bool = False, table: PrintedTable = PODS) -> list[str]:
    return [text.rstrip() for text in texts(table_body(table, LINES, space, fold=fold))]


def test_columns_are_as_wide_as_they_need_and_numbers_are_on_the_right() -> None:
    assert rows(wide(80)) == [
        "NAME                                   RESTARTS  NODE",
        "─" * 64,
        "api-7d4b9c9b6d-2xk9p-with-a-long-name         1  gke-main-pool-1",
        "数据库-0                                     12",
    ]


def test_the_widest_column_gives_way_and_is_folded_at_full_level() -> None:
    cut = rows(wide(40))
    assert cut[2].split() == ["api-7d4b9c9b6…", "1", "gke-main-pool…"]
    assert max(map(cell_len, cut)) <= 40
    folded = rows(wide(40), fold=True)
    assert not any("…" in row for row in folded)
    assert "".join(row[:15].strip() for row in folded[2:-1]) == PODS.rows[0][0]


def test_where_columns_have_no_room_lines_are_as_they_were_printed() -> None:
    assert rows(wide(15), fold=True)[0] == "NAME RESTARTS N"


def test_a_heading_stands_out_and_a_table_without_one_has_no_rule() -> None:
    body = table_body(PODS, LINES, wide(80), fold=False)
    assert styled(body, "RESTARTS") == PALETTE.strong
    assert styled(body, "gke-main") == PALETTE.text
    bare = PrintedTable((), (("-rw-r--r--", "5", "a b"), ("drwxr-xr-x", "10", "c")), frozenset({0}))
    assert rows(wide(80), table=bare) == ["-rw-r--r--   5  a b", "drwxr-xr-x  10  c"]
    assert styled(table_body(bare, LINES, wide(80), fold=False), "drwx") == PALETTE.dim


def test_any_part_of_a_table_is_the_same_rows() -> None:
    for width in (30, 40, 80):
        body = table_body(PODS, LINES, wide(width), fold=True)
        whole: Sequence[str] = texts(body)
        assert len(whole) == body.height
        assert [body.strips(row, row + 1)[0].text.rstrip() for row in range(body.height)] == [
            *whole
        ]
        assert all(strip.cell_length <= width for strip in body.strips(0, body.height))


def test_a_command_shows_its_table_and_copies_what_it_printed() -> None:
    printed = " id | name\n----+-------\n  1 | Ada\n 22 | Grace\n(2 rows)\n"
    call = replace(
        CALLS[ToolKind.SHELL],
        payload=ShellPayload("psql -c 'select * from t'"),
        result=ShellResult(output=printed, exit_code=0),
    )
    for level in (DetailLevel.SUMMARY, DetailLevel.FULL):
        view = RowLayout(activity(call), level, wide(100))
        shown = [text.rstrip() for text in view.texts(0, view.height)][1:]
        assert shown[-5:] == ["id  name", "─────────", " 1  Ada", "22  Grace", "(2 rows)"]
    assert copied_output(activity(call)) == ("output", printed)
