"""Shell commands: colours, here-documents and where they end."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from agentview.timeline.view.sanitize import clean
from agentview.ui.render.collapsible import Folds
from agentview.ui.tools.shell import command_body, command_parts
from tests.ui.render.looks import PALETTE, SPACE, styled, texts, wide

LONG = "cat > src/a.py <<'EOF'\n" + "def f():\n    return 1\n" * 20 + "EOF\npytest -q | tail -3"


def test_a_command_has_the_colours_of_a_shell() -> None:
    body = command_body('for f in *.py; do\n  echo "$f"\ndone', SPACE)
    assert texts(body) == ["$ for f in *.py; do", '    echo "$f"', "  done"]
    assert styled(body, "for") == PALETTE.keyword


def test_a_long_here_document_is_folded_and_opens() -> None:
    assert texts(command_body(LONG, SPACE)) == [
        "$ cat > src/a.py <<'EOF'",
        "  ▸ … 40 lines of here-document …",
        "  EOF",
        "  pytest -q | tail -3",
    ]
    opened = command_body(LONG, replace(SPACE, folds=Folds(every=True)))
    assert opened.height == 44
    assert texts(opened)[1:4] == [
        "  ▾ … 40 lines of here-document …",
        "  def f():",
        "      return 1",
    ]
    assert styled(opened, "def") == PALETTE.keyword


def test_a_here_document_has_the_language_of_what_takes_it() -> None:
    for command, language in (
        ("python3 - <<'EOF'\nx\nEOF", "python"),
        ("psql db <<SQL\nx\nSQL", "sql"),
        ("tee -a conf/x.toml <<-END >/dev/null\n\tx\n\tEND", "conf/x.toml"),
        ("git commit -F - <<EOF\nx\nEOF", ""),
    ):
        assert [part.language for part in command_parts(command)] == [None, language, None]


def test_what_only_looks_like_a_here_document_is_none() -> None:
    for command in ('wc <<< "$x"\ny', "echo $((1 << n))\ny", "cat < file\ny"):
        assert [part.language for part in command_parts(command)] == [None]


def test_one_without_an_end_goes_on_to_the_last_line() -> None:
    parts = command_parts("cat <<EOF\na\nb")
    assert [part.lines for part in parts] == [("cat <<EOF",), ("a", "b")]


@given(st.lists(st.sampled_from(["cat <<A", "A", "cat <<-'B'", "\tB", "x", "", "\x1b[2J"])))
def test_no_line_is_lost(lines: list[str]) -> None:
    command = "\n".join(lines)
    body = command_body(command, replace(wide(60), folds=Folds(every=True)))
    rows = [row.strip() for row in texts(body) if "here-document" not in row]
    kept = [clean(line).strip() for line in command.split("\n")]
    assert [row.removeprefix("$ ").strip("$").strip() for row in rows if row.strip("$ ")] == [
        line for line in kept if line
    ]
