"""Commands run by a real shell: a patch never differs in silence from what they left."""

import subprocess
from pathlib import Path

import pytest

from agentview.facts.edits.messages import unnamed_sentences
from agentview.facts.edits.session_changes import SessionChanges
from agentview.facts.edits.shell import UNNAMED, may_write, statements
from tests.facts.edits.applying import (
    Tree,
    applied,
    changes_of,
    nets,
    not_told,
    patch_of,
    put,
    taken,
)
from tests.facts.edits.clients import Claude

BEFORE: Tree = {
    "a.txt": b"one\ntwo\nthree\n",
    "b.txt": b"bee\n",
    "src/app.py": b"import os\n\n\ndef f():\n    return 1\n",
    "docs/g.md": b"# Guide\n",
}
EXACT = (
    "cat > a.txt <<'EOF'\nnew $x\nEOF",
    "cat > a.txt <<'EOF' && cat > b.txt <<'END'\nA\nEOF\nB\nEND",
    "cat > a.txt <<'EOF' && wc -l b.txt\nif (x) { y || z }\nEOF",
    "mkdir -p new && cd src && cat >> app.py <<'EOF'\n# end\nEOF",
    "bash -lc \"cat > a.txt <<'X'\ninner\nX\"",
    "tee a.txt <<'EOF'\ntee\nEOF",
    "echo hi > a.txt; echo more >> a.txt",
    "rm -f a.txt && rm b.txt",
    "exit 0; rm a.txt",
    "mv a.txt docs/; mv b.txt b2.txt",
    "mv -f b.txt a.txt",
    "mv a.txt tmp.txt; mv b.txt a.txt; mv tmp.txt b.txt",
)
NAMED = (
    "test -f none && rm a.txt; true",
    "true || rm a.txt",
    "rm -i a.txt </dev/null",
    "mv a.txt none/ 2>/dev/null; true",
    "mv -n b.txt a.txt",
    "mv a.txt docs",
    "mv src lib",
    "cp -r src lib",
    "cat b.txt > a.txt",
    "sed -i.bak 's/one/1/' a.txt",
    "sed -i -e 's/one/1/' -e 's/two/2/' a.txt",
    "sed -i 's/e/E/' *.txt",
    "find . -name '*.txt' -exec sed -i 's/e/E/' {} +",
    "grep -rl one . | xargs sed -i 's/one/1/'",
    "for f in a b; do echo x >> $f.txt; done",
    'F=a.txt; echo hi > "$F"',
    "(cd src && echo hi > app.py)",
    "sed 's/one/1/' a.txt > tmp.txt && mv tmp.txt a.txt",
    "echo hi > a.txt; cat > gen.py <<'E'\nopen('a.txt', 'w').write('g')\nE\npython3 gen.py",
    "python3 - <<'EOF'\nfrom pathlib import Path\np = Path('a.txt')\np.write_text('x')\nEOF",
    'python3 -c "open(\'a.txt\', \'a\').write(\'more\\n\')"',
    "python3 - a.txt <<'EOF'\nimport sys\nopen(sys.argv[1], 'w').write('x')\nEOF",
    "cat <<'EOF' | python3\nfor n in ('a', 'b'):\n    open(n + '.txt', 'w').write('x')\nEOF",
    "perl -e 'open(F, \">a.txt\"); print F \"x\"'",
    "env A=1 perl -pi -e 's/one/1/' a.txt",
    "sort -o a.txt a.txt; echo a.txt | xargs rm",
    "patch -p1 <<'EOF'\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\nEOF",
    "awk '{print > \"z.txt\"}' b.txt",
    "rm -r src/* && touch new.txt",
)  # fmt: skip
HARMLESS = (
    "ls -la && git status; git -C src log --oneline",
    "cat a.txt 2>&1 | tail -3 > /dev/null",
    "grep -rn 'x > y' . | sort | uniq -c",
    "git add -A && git commit -qm 'rm a.txt > b.txt'",
    "for f in a b; do cat $f.txt; done; if [ -f a.txt ]; then wc -l a.txt; fi",
    "mkdir -p new/deep && cd new && pwd",
    "sed -n '1,5p' a.txt; find . -name '*.py' | wc -l; awk '{print $1}' b.txt",
    "bash -lc 'cat a.txt && ls'",
)
UNKNOWN = (
    "make",
    "python3 gen.py",
    "python3 -c \"open('a.txt', 'w').write('x')\"",
    "python3 - <<'EOF'\nopen('a.txt', 'w').write('x')\nEOF",
    "npm run build && ls",
    "echo $(touch a.txt)",
    'echo "$(touch a.txt)"',
    "ls | xargs rm",
    "find . -name '*.txt' -delete",
    "git checkout -- .",
    "./configure",
    "sed 's/one/1/w out.txt' a.txt",
    "bash -lc 'black src'",
    "sh < script",
)


def session(command: str, tmp_path: Path) -> tuple[SessionChanges, Tree]:
    """A session that read all files and ran a command, and the files that it left."""
    root = tmp_path / "tree"
    put(root, BEFORE)
    client = Claude(BEFORE)
    for name in BEFORE:
        client.read(name)
    done = subprocess.run(
        ["bash", "-c", command], cwd=root, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    client.command(command, done.stdout)
    return changes_of(client.written(tmp_path / "log.jsonl")), taken(root)


@pytest.mark.parametrize("command", EXACT)
def test_what_a_command_did_for_sure_is_in_the_patch(command: str, tmp_path: Path):
    changes, left = session(command, tmp_path)
    assert applied(BEFORE, patch_of(changes)) == left
    assert not not_told(changes)
    assert not changes.unnamed


@pytest.mark.parametrize("command", NAMED)
def test_what_a_command_may_have_done_is_named(command: str, tmp_path: Path):
    changes, left = session(command, tmp_path)
    told = applied(BEFORE, patch_of(changes))
    named = not_told(changes) | {name for name, net in nets(changes).items() if net.unsure}
    wrong = {name for name in left.keys() | told.keys() if left.get(name) != told.get(name)}
    unnamed = {name for name in wrong if not any(f"{name}/".startswith(f"{one}/") for one in named)}
    assert bool(changes.unnamed) if unnamed else bool(named or changes.unnamed)


@pytest.mark.parametrize("command", UNKNOWN)
def test_a_command_that_is_not_known_may_have_changed_files_that_it_does_not_name(
    command: str, tmp_path: Path
):
    client = Claude({"src/app.py": b"import os\n"})
    client.read("src/app.py")
    client.command(command)
    changes = changes_of(client.written(tmp_path / "log.jsonl"))
    assert [step.words for step in changes.unnamed] == [command]
    assert not [file for file in changes.files.values() if file.changed]


def test_an_error_about_one_file_says_nothing_of_files_that_are_not_named(tmp_path: Path):
    client = Claude({})
    client.command("make > out/log", "zsh: no such file or directory: \n")
    changes = changes_of(client.written(tmp_path / "log.jsonl"))
    assert len(changes.unnamed) == 1


@pytest.mark.parametrize("command", HARMLESS)
def test_what_changes_nothing_is_not_named(command: str, tmp_path: Path):
    client = Claude({})
    client.command(command)
    changes = changes_of(client.written(tmp_path / "log.jsonl"))
    assert not changes.unnamed
    assert not [file for file in changes.files.values() if file.changed]


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("sh -c 'sh -c \"rm a.txt\"'", ["a.txt"]),
        ("rm a.txt; " * 3_000, [UNNAMED]),
        ("$(" * 9_000, [UNNAMED]),
        ("cat <<E\n" * 2_000, []),
        ("tee a.txt b.txt > c.txt", ["c.txt", "a.txt", "b.txt"]),
        ("cp -r one two three", ["three"]),
        ("sed -i.bak -e s/a/b/ a.txt", ["a.txt", "a.txt.bak"]),
        ("sed -i '' s/a/b/ a.txt", ["a.txt"]),
        ('rm "$F" b.txt', [UNNAMED, "b.txt"]),
    ],
    ids=["shell", "long", "open", "texts", "tee", "cp", "sed", "sed of macOS", "computed"],
)
def test_what_a_command_may_write_is_found_soon(command: str, written: list[str]):
    assert list(may_write(command)) == written


@pytest.mark.parametrize("command", ['"\\' * 9_000, "a\\" * 9_000, "rm a.txt; echo 'it"])
def test_what_no_shell_would_take_is_one_command(command: str):
    assert list(statements(command, "/x")) == [(command, "/x", False)]


def test_many_commands_that_name_no_files_are_counted(tmp_path: Path):
    client = Claude({"a.txt": b"one\n"})
    client.edit("a.txt", "one", "1")
    client.command("git stash")
    client.command("git stash")
    for number in range(10):
        client.command(f"make all{number}")
    changes = changes_of(client.written(tmp_path / "log.jsonl"))
    said = list(unnamed_sentences(changes.unnamed))
    assert said[0].startswith("a command at ")
    assert said[0].endswith(
        " and 1 time later may have changed files that it does not name: git stash"
    )
    assert said[-1] == "so may 3 more commands"
