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
    ("git diff -- a.py", ShellPayload("git diff -- a.py")),
    ("head a.py", ReadPayload("a.py", 1, 10)),
    ("head -n -5 a.py", ReadPayload("a.py", 1)),
    ("tail -n +20 a.py", ReadPayload("a.py", 20)),
    ("sed 's/a/b/' f", ReadPayload("f")),
    ("sed -n '/def a/,/^$/p' f", ReadPayload("f")),
    ("awk 'NR>=10 && NR<=20' f", ReadPayload("f")),
    ("jq -r '.a | length' f.json", ReadPayload("f.json")),
    ("sort f | uniq -c | sort -rn | head", ReadPayload("f")),
    ("timeout 5 cat f", ReadPayload("f")),
    ("cat *.py", ShellPayload("cat *.py")),
    ("wc -l a.py 'b c'", ShellPayload("wc -l a.py 'b c'")),
    ("git --no-pager log --oneline -5", ShellPayload("git --no-pager log --oneline -5")),
    ("git status --short | head", ShellPayload("git status --short")),
    ("git branch -vv", ShellPayload("git branch -vv")),
    ("git branch --all --no-abbrev", ShellPayload("git branch --all --no-abbrev")),
    ("command -v node", ShellPayload("command -v node")),
    ('rg "x$" a', GrepPayload("x$", "a")),
    ("find . -name '*.py' | xargs -I{} grep -l x {}", GlobPayload("*.py", ".")),
    ("rg -n 'a|b' src | head -20", GrepPayload("a|b", "src")),
    ("rg -i -g '*.py' todo", GrepPayload("todo", include="*.py", ignore_case=True)),
    ("grep -rnF 'x y' . || true", GrepPayload("x y", ".", literal=True)),
    ("grep -e one file", GrepPayload("one", "file")),
    ("git grep -n total", GrepPayload("total")),
    ("rg --files", LsPayload()),
    ("rg --files -g '*.md' docs", GlobPayload("*.md", "docs")),
    ("ls -la src", LsPayload("src")),
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
    "cat a > b",
    "cat a | xargs rm",
    "cat a; rm b",
    "tail -f log",
    "sed -i s/a/b/ f",
    "sed -n 'w out' f",
    "sed 's/a/b/w out' f",
    "sed 's/a/b/e' f",
    "sed '1e rm x' f",
    "sed -f script f",
    "sed -n -i p f",
    "awk '{print > \"out\"}' f",
    "awk '{system(\"rm \" $1)}' f",
    'awk \'/"/ {print > "f"}\' f',
    "awk -f script f",
    "cat a | xargs -n 1 rm",
    "find . | xargs sed -i s/a/b/",
    "sort -o a a",
    "uniq a b",
    "tree -o out",
    "rg --pre ./run x",
    "xxd a b",
    "date -s 12:00",
    "env A=1 make",
    "sudo make install",
    "hostname other",
    "git branch new",
    "git branch -D old",
    "git tag v1",
    "git stash",
    "git remote add a b",
    "git config user.name x",
    "git -c core.pager=./run log",
    "git grep -O./run x",
    "cat a && make",
    "ls; rm b",
    "cd a; cd $B; cat c",
    "ls && cd - && cat c",
    "cat 2> log a",
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


LOOKS = (
    ("pwd && ls", [ShellPayload("pwd"), LsPayload()]),
    (
        "sed -n '1,5p' a && rg x | head -5; ls src | wc -l",
        [ReadPayload("a", 1, 5), GrepPayload("x"), LsPayload("src")],
    ),
    (
        "git status --short && git diff",
        [ShellPayload("git status --short"), ShellPayload("git diff")],
    ),
    ("cat a; echo ---; cd b && cat c", [ReadPayload("a"), ReadPayload("b/c")]),
    ("bash -lc 'cd b && cat c && ls'", [ReadPayload("b/c"), LsPayload()]),
    (
        "test -f a && head -3 a b",
        [ShellPayload("test -f a"), ReadPayload("a", 1, 3), ReadPayload("b", 1, 3)],
    ),
)


@pytest.mark.parametrize(("command", "payloads"), LOOKS)
def test_looks_that_differ_are_understood_together(command: str, payloads: list[object]):
    reading = read_command(command)
    assert reading is not None
    assert [step.payload for step in reading.steps] == payloads
    assert reading.looks


def test_looks_of_several_kinds_have_no_kind_in_common():
    reading = read_command("cat a && ls")
    assert reading is not None
    assert reading.kind is None
    changes = read_command("rm a && rm b")
    assert changes is not None
    assert changes.kind is ToolKind.DELETE
    assert not changes.looks


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
    assert reading is None or reading.looks or reading.kind is not None


@pytest.mark.parametrize(
    "command",
    [
        "sed -n '" + "\\" * 400 + "' f",
        "sed 's/" + "\\a" * 200 + "' f",
        "sed '" + " " * 480 + "' f",
        "cat a | " + "xargs " * 1500,
        "a | " * 2000,
        "time " * 1500 + "cat a",
        "'" * 9999,
        "cd a;" * 100_000 + "cat b",
        "cat " * 100_000,
    ],
    ids=lambda command: command[:12],
)
def test_a_hostile_command_is_read_at_once(command: str):
    reading = read_command(command)
    assert reading is None or reading.looks
