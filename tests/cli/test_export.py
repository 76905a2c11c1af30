"""`agentview export`: what is written, and that no secret and no markup of a log gets out."""

import json
import re
import stat
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agentview.cli import main
from agentview.domain.annotations import Bookmark, Note
from agentview.providers import load_provider
from agentview.sessions.annotations.bookmarks import set_bookmark
from agentview.sessions.annotations.notes import set_note
from agentview.sessions.annotations.session_file import SessionFile
from agentview.sessions.annotations.session_marks import set_star, set_title
from agentview.sessions.following.whole_session import load_session
from agentview.system.paths import sample_sessions_dir
from agentview.ui.themes import load_theme, theme_directories
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.redaction.planted import ENCODED, PASSWORD, STATED, VENDORS

_GFM: Any = import_module("cmarkgfm")
SVG = "{http://www.w3.org/2000/svg}"
THEMES = ("agentview-light", "agentview-dark")
FORMATS = ("html", "markdown", "json", "svg")
MARKDOWN = "--format=markdown"

HOSTILE = (
    "</details><script>window.hit=1</script>",
    "<img src=x onerror='window.hit=1'>",
    "![beacon](https://evil.example/x.png) [go](javascript:window.hit=1)",
    "```\nnot closed <svg onload=window.hit=1>",
    "~~~~ js\n````\n~~~~\n<iframe srcdoc='<script>window.hit=1</script>'>",
    "`one <b>\ntwo` <style>*{display:none}</style> `",
    "[x]: javascript:window.hit=1\n\n<!-- --> ]]> @everyone fixes #12 GH-3 a@b.example",
    "\\` <object data=x> \\`",
    "--></template></textarea></title><meta http-equiv=refresh content='0;url=//evil.example'>",
    "\x1b]8;;https://evil.example\x07x\x1b[31m\u202e\u0000",
    "Fixes https://forge.example/o/r/issues/12 and o/r#13 !14 GH-15, see www.evil.example/a|b",
    "(http://evil.example) ftp://evil.example `https://evil.example` <https://evil.example>",
    "me@evil.example mailto:me@evil.example xmpp:me@evil.example/x me@evil.example@everyone",
    "https://evil.example/`x`#12@everyone | https://evil.example | www.evil.examplehttp://a.example",
)


def as_a_forge_shows(text: str) -> str:
    """Markdown as HTML, as GitHub makes it, raw HTML kept."""
    unsafe = import_module("cmarkgfm.cmark").Options.CMARK_OPT_UNSAFE
    return str(_GFM.github_flavored_markdown_to_html(text, unsafe))


def hostile_log(path: Path) -> Path:
    """A log that has each hostile text in each place that is shown."""
    log = ClaudeLog()
    records: list[bytes] = []
    for number, text in enumerate(HOSTILE):
        call = f"t{number}"
        records += [
            log.prompt(text),
            log.call(f"{call}a", "Bash", command=text, description=text),
            log.result(f"{call}a", text, {"stdout": text, "stderr": text, "interrupted": False}),
            log.call(f"{call}b", "Write", file_path=f"/home/dev/shop/{number}{text}", content=text),
            log.result(f"{call}b", text, {"type": "create", "content": text}),
            log.call(f"{call}c", "BrandNewTool", **{text: [text]}),
            log.result(f"{call}c", text, is_error=True),
            log.text(text),
        ]
    return write(path, records)


def planted_log(path: Path) -> tuple[Path, list[str]]:
    """A log with each planted secret in each place that is shown, and what must not be there."""
    log = ClaudeLog()
    records: list[bytes] = []
    shapes = [f"{name} token: {text}" for name, (text, _) in VENDORS.items()] + [*STATED.values()]
    for number, text in enumerate(shapes):
        call = f"t{number}"
        records += [
            log.prompt(text),
            log.call(f"{call}a", "Bash", command=text, description=text),
            log.result(f"{call}a", text, {"stdout": text, "stderr": text, "interrupted": False}),
            log.call(f"{call}b", "Write", file_path=f"/home/dev/shop/{number}.txt", content=text),
            log.result(f"{call}b", "ok", {"type": "create", "content": text}),
            log.call(f"{call}c", "BrandNewTool", anything=[text], text=text),
            log.result(f"{call}c", text, is_error=True),
            log.text(text),
        ]
    return write(path, records), [secret for _, secret in VENDORS.values()] + [PASSWORD, ENCODED]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass


@pytest.mark.parametrize("level", ["title", "summary", "full"])
def test_markdown_of_hostile_texts_has_only_its_own_markup(
    agentview: CommandLine, tmp_path: Path, level: str
) -> None:
    log = hostile_log(tmp_path / "log.jsonl")
    done = agentview("export", str(log), "--format=markdown", f"--detail={level}", "--max-chars=0")
    assert done.returncode == 0, done.stderr
    page = as_a_forge_shows(done.stdout)
    found = _Tags()
    found.feed(page)
    assert {tag for tag, _ in found.tags} <= {
        "h1", "h2", "h3", "ul", "ol", "li", "p", "strong", "em", "blockquote", "code", "pre",
        "details", "summary", "hr", "br", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert {name for _, names in found.tags for name in names} <= {"class", "start", "lang"}
    # Each turn has its heading, which no block before it took in.
    turns = [f"<h2>Turn {number}</h2>" for number in range(1, len(HOSTILE) + 1)]
    assert [line for line in page.splitlines() if line.startswith("<h2>Turn")] == turns
    # What a forge makes a link of after Markdown did: it passes code over.
    shown = re.sub(r"(?s)<code.*?</code>", "", page)
    assert not re.search(r"@\w|#\d|!\d|GH-\d|://|www\.", shown)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


@pytest.mark.slow
def test_markdown_has_prompts_answers_and_changes(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(
        tmp_path / "log.jsonl",
        [
            log.prompt("Add a `greet` function"),
            log.text("I look at it first."),
            log.call("t1", "Write", file_path="/home/dev/shop/a.py", content="def greet(): ...\n"),
            log.result("t1", "ok", {"type": "create", "content": "def greet(): ...\n"}),
            log.text("Done:\n\n- **a.py** is new\n\n~~~python\n@app.get('/')\n~~~"),
        ],
    )
    text = agentview("export", str(path), MARKDOWN).stdout
    assert "> Add a `greet` function" in text
    assert "> - **a.py** is new" in text
    assert "I look at it first." not in text
    assert "- `a.py` (new) +1" in text
    assert "\n```diff\ndiff --git a/a.py b/a.py\n" in text
    assert text.count("<details>") == text.count("</details>") == 1
    assert "> ```python\n> @app.get('/')\n> ```\n" in text
    full = agentview("export", str(path), MARKDOWN, "--detail", "full").stdout
    assert "I look at it first." in full
    assert "- Write `a.py`" in full


def test_markdown_has_the_commands_of_the_person_and_no_heading_without_text(
    tmp_path: Path,
) -> None:
    log, page = ClaudeLog(), tmp_path / "page.md"
    ran = log.prompt("<bash-input>ls ship</bash-input>")
    path = write(tmp_path / "log.jsonl", [ran, log.prompt("Sail")])
    for level, shown in (("full", True), ("summary", False)):
        assert main(["export", str(path), MARKDOWN, f"--detail={level}", f"--output={page}"]) == 0
        text = page.read_text()
        assert ("## Before the first prompt\n\n- you ran `ls ship`\n" in text) == shown
        assert ("Before the first prompt" in text) == shown


def test_markdown_has_the_requests_for_permission_under_their_call(tmp_path: Path) -> None:
    log, page = sample_sessions_dir() / "copilot" / "demo.jsonl", tmp_path / "page.md"
    assert main(["export", str(log), MARKDOWN, "--detail=full", f"--output={page}"]) == 0
    text = page.read_text()
    asked = "  - asked for permission `Clean: rm -rf build` (denied by you) [denied]\n"
    assert f"- Shell `rm -rf build` (denied by you) [denied]\n{asked}- Ask" in text


@pytest.mark.slow
def test_markdown_counts_what_is_masked_in_it_and_not_in_what_it_leaves_out(
    agentview: CommandLine, tmp_path: Path
) -> None:
    log = ClaudeLog()
    output, prompt = f"DB_PASSWORD={PASSWORD}", f"Use API_TOKEN={PASSWORD}"
    records = [log.prompt(prompt), log.call("t1", "Bash", command="env")]
    records += [log.result("t1", output, {"stdout": output}), log.text("Done")]
    records += [each for _ in range(20) for each in (log.prompt(prompt * 9), log.text("ok"))]
    path = write(tmp_path / "log.jsonl", records)
    done = agentview("export", str(path), MARKDOWN, "--max-chars", "1000")
    assert PASSWORD not in done.stdout
    shown = done.stdout.count("## Turn")
    assert f"{21 - shown} turns left out" in done.stdout
    # Each turn has one, the title has one, and so has the first turn for which there is no room.
    counts = {line.split(None, 1)[1]: int(line.split()[0]) for line in done.stderr.splitlines()[1:]}
    assert shown <= counts["named value"] <= shown + 2


def test_markdown_keeps_to_its_length(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 200))
    text = agentview("export", str(path), MARKDOWN, "--max-chars", "3000").stdout
    assert len(text) <= 3000
    kept = text.count("## Turn")
    assert f"*{200 - kept} turns left out: no room.*" in text
    assert "--max-chars" in agentview.fails(2, "export", str(path), "--max-chars", "12")


@pytest.mark.slow
def test_only_some_turns_and_kinds(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 9))
    text = agentview("export", str(path), MARKDOWN, "--turns", "3-4").stdout
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Turn 3",
        "## Turn 4",
    ]
    document = json.loads(
        agentview("export", str(path), "--format=json", "--turns=8-", "--only=shell").stdout
    )
    assert [line["args"]["command"] for line in document["events"]] == ["echo 7", "echo 8"]
    for wrong in ("0", "7-3", "x", "-"):
        assert "3-7" in agentview.fails(2, "export", str(path), f"--turns={wrong}")


@pytest.mark.slow
def test_json_is_the_lines_of_events_with_a_header(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    document = json.loads(agentview("export", str(path), "--format=json", "--no-mask").stdout)
    lines = [json.loads(line) for line in agentview("events", str(path)).stdout.splitlines()]
    assert document["events"] == lines
    header = document["header"]
    assert (header["provider"], header["masked"]) == ("claude_code", False)
    assert header["session"] == lines[0]["session"]
    assert json.loads(agentview("export", str(path), "--format=json").stdout)["header"]["masked"]


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_no_planted_secret_is_in_any_format(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path, secrets = planted_log(tmp_path / "log.jsonl")
    out = tmp_path / f"out.{form}"
    arguments = ["export", str(path), f"--format={form}", "--detail=full", "--max-chars=0"]
    assert main([*arguments, "-o", str(out)]) == 0
    written, report = out.read_text(), capfd.readouterr()
    assert [secret for secret in secrets if secret in written + report.err + report.out] == []
    # A picture has a part of the session, and only that is masked.
    for rule in ("token: ghp_", "token: AKIA", "named value", "secret in base64", "place: openssl"):
        assert rule in report.err or form == "svg"
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert main([*arguments, "--check"]) == 1
    checked = capfd.readouterr()
    assert checked.out == ""
    assert checked.err == report.err.replace("masked: ", "to be masked: ", 1)


@pytest.mark.slow
def test_check_of_a_log_without_secrets_says_so(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))
    done = agentview("export", str(path), "--check")
    # A name in the path of a home directory is masked, and is no secret.
    assert (done.returncode, done.stdout) == (0, "")
    assert "home directory" in done.stderr
    assert "--no-mask" in agentview.fails(2, "export", str(path), "--check", "--no-mask")


def test_a_file_that_cannot_be_written_is_named(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))
    missing = tmp_path / "nowhere" / "a.md"
    assert str(missing) in agentview.fails(1, "export", str(path), "-o", str(missing))


def test_no_format_is_written_below_the_ending_of_another(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 2))
    page, named = tmp_path / "page.pdf", tmp_path / "page"
    assert main(["export", str(path), "-o", str(page)]) == 2
    said = capfd.readouterr().err
    assert str(page) in said
    assert ".html" in said
    assert not page.exists()
    assert main(["export", str(path), "-o", str(page), "--format=markdown"]) == 0
    assert page.read_text().startswith("# ")
    assert main(["export", str(path), "-o", str(named)]) == 0
    assert named.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
def test_every_sample_of_a_client_is_written(
    form: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for sample in sorted((sample_sessions_dir() / "claude_code").glob("*.jsonl")):
        assert main(["export", str(sample), f"--format={form}"]) == 0
        written = capfd.readouterr().out
        if form == "json":
            assert json.loads(written)["events"]
        else:
            begins = {"html": "<!DOCTYPE html>", "markdown": "# ", "svg": "<svg "}[form]
            assert written.startswith(begins)


def _picture(path: Path, tmp_path: Path, *options: str) -> ElementTree.Element:
    out = tmp_path / "out.svg"
    assert main(["export", str(path), "-o", str(out), *options]) == 0
    return ElementTree.fromstring(out.read_text())  # noqa: S314  (our own)


def _lines(picture: ElementTree.Element) -> list[str]:
    """The rows, each text at its column, as the cells of the picture are 12.2 by 24.4."""
    rows: dict[int, str] = {}
    for text in picture.iter(f"{SVG}text"):
        row = round((float(text.attrib["y"]) - 20) / 24.4)
        column = round(float(text.attrib["x"]) / 12.2)
        rows[row] = rows.get(row, "").ljust(column) + (text.text or "").replace("\xa0", " ")
    return [rows.get(row, "").rstrip() for row in range(max(rows) + 1)]


def test_a_picture_of_hostile_texts_has_only_text_in_it(tmp_path: Path) -> None:
    log = hostile_log(tmp_path / "log.jsonl")
    picture = _picture(log, tmp_path, "--detail=full", "--rows=1-2000")
    names = {each.tag.removeprefix(SVG) for each in picture.iter()}
    assert names == {"svg", "style", "defs", "clipPath", "rect", "g", "text"}
    used = {name for each in picture.iter() for name in each.attrib}
    assert not [name for name in used if name.startswith("on") or "href" in name]
    (style,) = picture.iter(f"{SVG}style")
    assert "url" not in (style.text or "")
    assert "@" not in (style.text or "")
    assert any("<script>window.hit=1</script>" in line for line in _lines(picture))


def test_a_picture_has_the_rows_that_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 20))
    whole = _lines(_picture(path, tmp_path, "--rows=1-2000"))[3:]
    some = _lines(_picture(path, tmp_path, "--rows=3-6"))[3:]
    assert some == [*whole[2:6], "…"]
    assert float(_picture(path, tmp_path, "--columns=60").attrib["width"]) == 60 * 12.2 + 18
    pictures = [_picture(path, tmp_path, f"--theme={name}") for name in THEMES]
    fills = [next(each.iterfind(f"{SVG}rect")).attrib["fill"] for each in pictures]
    assert fills == [load_theme(name, theme_directories()).colors.background for name in THEMES]


@pytest.mark.parametrize(
    "wrong", ["--rows=0-3", "--rows=9-3", "--rows=1", "--rows=1-9999", "--columns=9", "--theme=no"]
)
def test_a_wrong_frame_is_refused(agentview: CommandLine, tmp_path: Path, wrong: str) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1))
    agentview.fails(2, "export", str(path), "--format=svg", wrong)


def test_what_the_person_added_is_in_every_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AGENTVIEW_STATE_DIR", str(tmp_path / "state"))
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    ref = load_provider("claude_code").discovery.ref(path)
    store = load_session(ref)
    row = next(row for row in range(store.first, store.end) if store.starts_turn(row))
    event = str(store.activity(row).first.id)
    file = SessionFile(ref.provider, ref.session_id)
    secret, text = next((secret, text) for text, secret in VENDORS.values())
    set_note(file, Note(Bookmark(event), f"<b>why</b> {text}"))
    set_bookmark(file, Bookmark(event))
    set_star(file, starred=True)
    set_title(file, "Mine & <own>")
    written: dict[str, str] = {}
    for form in FORMATS:
        assert main(["export", str(path), f"--format={form}"]) == 0
        written[form] = capfd.readouterr().out
        assert secret not in written[form]
    assert "<h1>★ Mine &amp; &lt;own&gt;</h1>" in written["html"]
    assert "</span> &lt;b&gt;why&lt;/b&gt; " in written["html"]
    assert written["html"].count(">bookmarked</span>") == 1
    page = as_a_forge_shows(written["markdown"])
    assert "<h1>★ Mine &amp; &lt;own&gt;</h1>" in page.replace("&#60;", "&lt;")
    assert "<strong>Note</strong>: &lt;b&gt;why&lt;/b&gt; " in page
    header = json.loads(written["json"])["header"]
    assert (header["own_title"], header["starred"]) == ("Mine & <own>", True)
    assert [note["event"] for note in header["notes"]] == header["bookmarks"] == [event]
    assert event in {line["id"] for line in json.loads(written["json"])["events"]}
    rows = _lines(ElementTree.fromstring(written["svg"]))  # noqa: S314  (our own)
    assert rows[0].strip() == "★ Mine & <own>"
    assert any("✎ <b>why</b>" in row for row in rows)
