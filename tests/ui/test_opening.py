"""Files in the person's editor: real editors get exactly the arguments meant, and nothing else."""

import os
import stat
from pathlib import Path

import pytest

from agentview.domain.record_ref import FileLocation
from agentview.errors import AgentViewError
from agentview.ui.editor import Opening, edit_in_terminal, edit_in_window, opening


@pytest.fixture
def place(tmp_path: Path) -> FileLocation:
    (tmp_path / "a file.py").write_text("one\ntwo\n")
    return FileLocation("a file.py", 2, str(tmp_path))


@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        ("vim", ["vim", "+2", "{}"]),
        ("/usr/bin/nvim -R", ["/usr/bin/nvim", "-R", "+2", "{}"]),
        ("nano", ["nano", "+2", "{}"]),
        ("emacsclient -nw", ["emacsclient", "-nw", "+2", "{}"]),
        ("hx", ["hx", "+2", "{}"]),
        ("kak", ["kak", "+2", "{}"]),
        ("micro", ["micro", "+2", "{}"]),
        ("code --wait", ["code", "--wait", "--goto", "{}:2"]),
        ("codium", ["codium", "--goto", "{}:2"]),
        ("cursor", ["cursor", "--goto", "{}:2"]),
        ("zed", ["zed", "{}:2"]),
        ("subl -n", ["subl", "-n", "{}:2"]),
        ("'my editor' --flag", ["my editor", "--flag", "{}"]),
        ("unheard-of", ["unheard-of", "{}"]),
    ],
)
def test_each_editor_is_told_the_line_in_its_way(
    editor: str, arguments: list[str], place: FileLocation
) -> None:
    path = str(Path(place.cwd or "", place.path))
    wanted = opening(place, {"EDITOR": editor})
    assert list(wanted.argv) == [part.format(path) for part in arguments]
    bare = opening(FileLocation(place.path, None, place.cwd), {"EDITOR": editor})
    assert bare.argv[-1] == path


def test_visual_comes_before_editor(place: FileLocation) -> None:
    assert opening(place, {"VISUAL": "code", "EDITOR": "vi"}).has_window
    assert not opening(place, {"VISUAL": "", "EDITOR": "vi"}).has_window


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("gone.py", "is not on this machine"),
        ("folder", "is not a file"),
        ("pipe", "is not a file"),
        ("/dev/null", "is not a file"),
        ("a\x00b", "no file has such a name"),
        ("x" * 5_000, "cannot be reached"),
        ("a file.py/more", "cannot be reached"),
    ],
)
def test_what_cannot_be_opened_is_said(path: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a file.py").touch()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(AgentViewError, match=words):
        opening(FileLocation(path, 1, str(tmp_path)), {"EDITOR": "vi"})


def test_a_relative_path_needs_a_directory_to_count_from() -> None:
    with pytest.raises(AgentViewError, match="no directory is known"):
        opening(FileLocation("pyproject.toml", 1), {"EDITOR": "vi"})


@pytest.mark.parametrize(
    ("environ", "words"),
    [({}, "no editor is set"), ({"EDITOR": " "}, "no editor"), ({"EDITOR": "vi '"}, "a quote")],
)
def test_without_an_editor_that_is_said(
    environ: dict[str, str], words: str, place: FileLocation
) -> None:
    with pytest.raises(AgentViewError, match=words):
        opening(place, environ)


def recorder(folder: Path, code: int = 0) -> tuple[Path, Path]:
    """An editor that writes down its arguments, one a line, and the file it writes them to."""
    editor, record = folder / "editor", folder / "arguments"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{record}"\nexit {code}\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    return editor, record


@pytest.mark.parametrize(
    "name",
    [
        "--help",
        "-c :!touch pwned",
        "$(touch pwned)",
        "`touch pwned`; touch pwned & x",
        "a'b\"c d",
        "%s +!touch",
        "new\nline",
    ],
)
def test_a_name_in_a_log_stays_one_argument(name: str, tmp_path: Path) -> None:
    editor, record = recorder(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("x")
    before = set(tmp_path.iterdir())
    wanted = opening(FileLocation(name, 3, str(tmp_path)), {"EDITOR": str(editor)})
    assert edit_in_terminal(wanted) == ""
    assert record.read_text() == f"{tmp_path}/{name}\n"
    assert set(tmp_path.iterdir()) - before == {record}


def test_what_goes_wrong_with_the_editor_is_said(tmp_path: Path, place: FileLocation) -> None:
    editor, _ = recorder(tmp_path, code=3)
    path = Path(place.cwd or "", place.path)
    assert edit_in_terminal(Opening((str(editor), str(path)), path)).endswith("ended with 3")
    for run in (edit_in_terminal, edit_in_window):
        said = run(Opening(("/no/such/editor", str(path)), path))
        assert said == "/no/such/editor could not be started: no such file or directory"
