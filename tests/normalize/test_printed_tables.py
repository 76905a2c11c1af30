"""Tables in outputs are recognized by their form, and nothing else is taken for one."""

import pytest

from agentview.normalize.printed_tables import printed_tables

PSQL = """\
 id |    name     | balance
----+-------------+---------
  1 | Ada         |  100.50
 12 | Grace Hopper|
(2 rows)
"""
MYSQL = """\
+----+-------+
| id | name  |
+----+-------+
|  1 | Ada   |
|  2 | Grace |
+----+-------+
2 rows in set (0.00 sec)
"""
DOCKER = """\
CONTAINER ID   IMAGE        COMMAND                  CREATED       STATUS       PORTS     NAMES
0f2a1b3c4d5e   postgres:16  "docker-entrypoint.s…"   2 hours ago   Up 2 hours             db
1f2a1b3c4d5e   redis:7      "docker-entrypoint.s…"   3 hours ago   Up 3 hours   6379/tcp  cache
"""
KUBECTL = """\
NAME                   READY   STATUS    RESTARTS      AGE
api-7d4b9c9b6d-2xk9p   1/1     Running   1 (3d ago)    5d
db-0                   0/1     Pending   0             2m
"""
PIP = """\
Package    Version
---------- -------
attrs      25.1.0
textual    8.2.8
"""
LISTING = """\
total 12
-rw-r--r--  1 ada  staff   512 Nov 28 12:03 README.md
drwxr-xr-x 10 ada  staff  4096 Nov  2  2025 my src
lrwxr-xr-x  1 ada  staff     3 2026-11-28 12:03 l -> src
"""
MARKDOWN = """\
| package | version |
|:--------|--------:|
| attrs   | 25.1.0  |
| a \\| b  |         |
"""


def _only(
    text: str, command: str = "x"
) -> tuple[list[str], tuple[str, ...], list[tuple[str, ...]]]:
    """The lines around the one table of an output, its heading and its rows."""
    parts = printed_tables(text, command)
    (found,) = [part.table for part in parts if part.table is not None]
    around = [line for part in parts if part.table is None for line in part.lines]
    return around, found.head, list(found.rows)


def test_psql():
    assert _only(PSQL) == (
        ["(2 rows)"],
        ("id", "name", "balance"),
        [("1", "Ada", "100.50"), ("12", "Grace Hopper", "")],
    )
    table = printed_tables(PSQL, "")[0].table
    assert table is not None
    assert table.numeric == {0, 2}


def test_mysql():
    around, head, rows = _only(MYSQL)
    assert around == ["2 rows in set (0.00 sec)"]
    assert head == ("id", "name")
    assert rows == [("1", "Ada"), ("2", "Grace")]


def test_docker_and_kubectl():
    around, head, rows = _only(DOCKER)
    assert around == []
    assert head == ("CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES")
    assert rows[0] == (
        "0f2a1b3c4d5e", "postgres:16", '"docker-entrypoint.s…"', "2 hours ago", "Up 2 hours",
        "", "db",
    )  # fmt: skip
    assert _only(f"as of now:\n{KUBECTL}")[2] == [
        ("api-7d4b9c9b6d-2xk9p", "1/1", "Running", "1 (3d ago)", "5d"),
        ("db-0", "0/1", "Pending", "0", "2m"),
    ]


def test_a_stroke_below_each_name():
    assert _only(PIP)[1:] == (("Package", "Version"), [("attrs", "25.1.0"), ("textual", "8.2.8")])


def test_a_long_listing_of_files():
    around, head, rows = _only(LISTING)
    assert (around, head) == (["total 12"], ())
    assert [row[-1] for row in rows] == ["README.md", "my src", "l -> src"]
    assert rows[1][5] == "Nov  2  2025"


def test_markdown():
    assert _only(MARKDOWN)[2] == [("attrs", "25.1.0"), ("a \\| b", "")]


def test_separated_values_by_the_words_of_the_command():
    text = 'name,size\nada,"1,5"\ngrace,2\n'
    assert _only(text, "head -3 data.csv")[1:] == (
        ("name", "size"),
        [("ada", "1,5"), ("grace", "2")],
    )
    assert _only("a\tb\n1\t2\n", "cut -f 1,2 x.tsv")[2] == [("1", "2")]
    assert printed_tables(text, "cat data.txt") == ()
    assert printed_tables("name,size\nada\n", "cat data.csv") == ()
    assert printed_tables('a,b\n"1,2\n', "cat data.csv") == ()


@pytest.mark.parametrize(
    "text",
    [
        "Title\n-----\ntext below\n",
        "a | b\nc | d\n",
        " id | name\n----+------\n 1 | a | b\n 2 | c\n",
        "USAGE  OF THIS\nfoo bar baz qux and more\n",
        "ERROR  IN LINE 3\n",
        "def f():\n    return a | b\n-------+------\n",
        "+----+\n| id |\nno end\n",
        "\x1b[1mNAME   AGE\x1b[0m\na      5d\n",
        "-rw-r--r-- 1 ada staff 5 Nov 28 12:03 only\n",
        "one line",
        "",
        "\n\n",
    ],
)
def test_other_text_is_left_as_it_was_printed(text: str):
    assert printed_tables(text, "x") == ()


def test_all_lines_are_in_the_parts_in_their_order():
    text = f"begin\n\n{PSQL}\n{KUBECTL}\n{LISTING}end\n"
    parts = printed_tables(text, "")
    assert [line for part in parts for line in part.lines] == text.rstrip("\n").split("\n")
    assert [part.table is not None for part in parts].count(True) == 3


@pytest.mark.parametrize(
    "line", ["| " * 14_000, "-" * 30_000, "-+" * 14_000, "A  " * 9_000, "-- " * 9_000, "a|" * 9_000]
)
def test_long_lines_of_strokes_and_bars_are_no_table(line: str):
    assert printed_tables(f"{line}\n{line}\n", "") == ()
