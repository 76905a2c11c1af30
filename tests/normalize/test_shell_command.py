"""What shell commands seem to do; whatever is not understood whole is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.domain.tool_inputs import (
    DeletePayload,
    EditPayload,
    GlobPayload,
    GrepPayload,
    LsPayload,
    ReadPayload,
    ShellAction,
    ShellPayload,
    WritePayload,
)
from agentview.domain.tools import ToolCall, ToolKind
from agentview.normalize.build import tool_call
from agentview.normalize.shell_command import read_command, with_reading
from agentview.normalize.shell_split import pipelines
from agentview.normalize.tools.execute import command_text
from agentview.normalize.tools.registry import FAMILIES

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"

READ = (
    ("cat a.py", ReadPayload("a.py")),
    ("cat 'my file.txt' 2>/dev/null", ReadPayload("my file.txt")),
    ("cd src && sed -n '10,20p' a.py", ReadPayload("a.py", 10, 11)),
    ("sed -n '5p' a.py", ReadPayload("a.py", 5, 1)),
    ("nl -ba a.py | sed -n '1,40p'", ReadPayload("a.py", 1, 40)),
    ("cat a.py | head -n 20", ReadPayload("a.py", 1, 20)),
    ("head -30 a.py", ReadPayload("a.py", 1, 30)),
    ("tail -n 5 a.log", ReadPayload("a.log", limit=5)),
    ("bash -lc 'cat a.py'", ReadPayload("a.py")),
    ("/bin/zsh -lc \"sed -n '1,3p' a\"", ReadPayload("a", 1, 3)),
    ("git diff -- a.py", ReadPayload("git diff -- a.py")),
    ("rg -n 'a|b' src | head -20", GrepPayload("a|b", "src")),
    ("rg -i -g '*.py' todo", GrepPayload("todo", include="*.py", ignore_case=True)),
    ("grep -rnF 'x y' . || true", GrepPayload("x y", ".", literal=True)),
    ("grep -e one file", GrepPayload("one", "file")),
    ("git grep -n total", GrepPayload("total")),
    ("rg --files", LsPayload()),
    ("rg --files -g '*.md' docs", GlobPayload("*.md", "docs")),
    ("ls -la src", LsPayload("src")),
    ("pwd && ls", LsPayload()),
    ("tree -L 2", LsPayload()),
    ("git ls-files", LsPayload()),
    ("find . -name '*.py' -not -path './.git/*'", GlobPayload("*.py", ".")),
    ("find src -type f | sort", LsPayload("src")),
    ("fd -e py test src", GlobPayload("test", "src")),
    ("rm -rf build", DeletePayload(("build",))),
    ("cat > a.txt <<'EOF'\none\n$two\nEOF", WritePayload("a.txt", "one\n$two\n")),
    ("cd x && cat <<EOF > a.txt\none\nEOF\n", WritePayload("a.txt", "one\n")),
    ("tee a.txt <<'EOF' >/dev/null\none\nEOF", WritePayload("a.txt", "one\n")),
)
LEFT_ALONE = (
    "",
    "make test",
    "cat",
    "cat $FILE",
    "cat *.py",
    "cat a > b",
    "cat a | xargs rm",
    "cat a; rm b",
    "cat a && ls",
    "tail -f log",
    "sed -i s/a/b/ f",
    "sed 's/a/b/' f",
    "find . -name x -delete",
    "find . -exec rm {} +",
    "fd -x rm",
    "ls `rm x`",
    "ls $(rm x)",
    "rg x | tee out",
    "for f in a; do cat a; done",
    "cat a &",
    "(cat a)",
    "echo hi",
    "git commit -m x",
    "git diff --output=x",
    "rm *.pyc",
    "cat <<EOF > f\n$(rm x)\nEOF",
    "cat > a <<'X'\n1\nX\ncat > b <<'X'\n2\nX",
    "cat > a <<'X'\n1\nX\nmake",
    "cat 'unclosed",
    "if true",
)


def run(command: str) -> ToolCall:
    call = tool_call(call_id="c", name="run", arguments={"command": command}, spec=FAMILIES["bash"])
    return with_reading(call)


@pytest.mark.parametrize(("command", "payload"), READ)
def test_a_command_that_is_understood(command: str, payload: object):
    reading = read_command(command)
    assert reading is not None
    assert [step.payload for step in reading.steps] == [payload]


@pytest.mark.parametrize("command", LEFT_ALONE)
def test_a_command_that_is_not_understood_whole(command: str):
    assert read_command(command) is None


@pytest.mark.parametrize(
    "command",
    [f"apply_patch <<'EOF'\n{PATCH}\nEOF", f"apply_patch '{PATCH}'", f"applypatch <<X\n{PATCH}\nX"],
)
def test_a_patch_inside_a_command(command: str):
    reading = read_command(command)
    assert reading is not None
    assert reading.kind is ToolKind.EDIT
    payload = reading.steps[0].payload
    assert isinstance(payload, EditPayload)
    assert payload.files[0].path == "a.py"


def test_a_patch_as_an_argument_keeps_its_quotes():
    command = command_text(["apply_patch", PATCH.replace("+y", "+y = 'it'")])
    reading = read_command(command)
    assert reading is not None
    payload = reading.steps[0].payload
    assert isinstance(payload, EditPayload)
    assert payload.files[0].edits[0].new == "y = 'it'"


def test_appending_is_editing():
    reading = read_command("cat >> a.txt <<'EOF'\nmore\nEOF")
    assert reading is not None
    assert reading.kind is ToolKind.EDIT


def test_several_files_are_several_steps():
    reading = read_command("sed -n '1,5p' a && sed -n '2,3p' b")
    assert reading is not None
    assert [step.payload for step in reading.steps] == [
        ReadPayload("a", 1, 5),
        ReadPayload("b", 2, 2),
    ]


def test_a_reading_changes_nothing_that_was_recorded():
    call = run("cat a.py")
    assert call.kind is ToolKind.SHELL
    assert call.reading is not None
    assert call.reading.kind is ToolKind.READ
    assert call.payload == ShellPayload("cat a.py")
    plain = run("make")
    assert plain.reading is None
    assert plain.kind is ToolKind.SHELL


def test_only_running_a_command_is_read():
    poll = tool_call(
        call_id="c", name="out", arguments={"id": "7", "text": "cat a"}, spec=FAMILIES["input"]
    )
    assert isinstance(poll.payload, ShellPayload)
    assert poll.payload.action is ShellAction.INPUT
    assert with_reading(poll) is poll


def test_words_are_without_their_quotes():
    found = pipelines('A=1 rg \'a b\'\\ c "d\\"e" | head; ls')
    assert found is not None
    assert [[word.text for word in simple] for pipeline in found for simple in pipeline] == [
        ["rg", "a b c", 'd"e'],
        ["head"],
        ["ls"],
    ]
    assert pipelines("A=1") is None


@given(st.text(alphabet="cat rgsednl-'\"|&;<>()$`\\\n*EOFx1,p{}", max_size=40))
def test_no_text_breaks_it(command: str):
    reading = read_command(command)
    assert reading is None or len({step.kind for step in reading.steps}) == 1
