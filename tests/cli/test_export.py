"""`agentview export`: what is written, and that no secret and no markup of a log gets out."""

import json
import re
import stat
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from agentview.cli import main
from agentview.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.conftest import CommandLine
from tests.redaction.planted import ENCODED, PASSWORD, STATED, VENDORS

FORMATS = ("html", "markdown", "json")
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
)


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
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(done.stdout)
    found = _Tags()
    found.feed(page)
    assert {tag for tag, _ in found.tags} <= {
        "h1", "h2", "h3", "ul", "ol", "li", "p", "strong", "em", "blockquote", "code", "pre",
        "details", "summary", "hr", "br", "table", "thead", "tbody", "tr", "th", "td",
    }  # fmt: skip
    assert {name for _, names in found.tags for name in names} <= {"class", "start"}
    # Each turn has its heading, which no block before it took in.
    turns = [f"<h2>Turn {number}</h2>" for number in range(1, len(HOSTILE) + 1)]
    assert [line for line in page.splitlines() if line.startswith("<h2>Turn")] == turns
    assert "@everyone" not in re.sub(r"(?s)<code.*?</code>", "", page)
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_markdown_has_prompts_answers_and_changes(agentview: CommandLine, tmp_path: Path) -> None:
    log = ClaudeLog()
    path = write(
        tmp_path / "log.jsonl",
        [
            log.prompt("Add a `greet` function"),
            log.text("I look at it first."),
            log.call("t1", "Write", file_path="/home/dev/shop/a.py", content="def greet(): ...\n"),
            log.result("t1", "ok", {"type": "create", "content": "def greet(): ...\n"}),
            log.text("Done:\n\n- **a.py** is new"),
        ],
    )
    text = agentview("export", str(path), MARKDOWN).stdout
    assert "> Add a <code>greet</code> function" in text
    assert "> - **a.py** is new" in text
    assert "I look at it first." not in text
    assert "- <code>a.py</code> (new) +1 −0" in text
    assert "\n```diff\ndiff --git a/a.py b/a.py\n" in text
    assert text.count("<details>") == text.count("</details>") == 1
    full = agentview("export", str(path), MARKDOWN, "--detail", "full").stdout
    assert "I look at it first." in full
    assert "- Write <code>a.py</code>" in full


def test_markdown_keeps_to_its_length(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 200))
    text = agentview("export", str(path), MARKDOWN, "--max-chars", "3000").stdout
    assert len(text) <= 3000
    kept = text.count("## Turn")
    assert f"*{200 - kept} turns left out: no room.*" in text
    assert "--max-chars" in agentview.fails(2, "export", str(path), "--max-chars", "12")


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


def test_json_is_the_lines_of_events_with_a_header(agentview: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 3))
    document = json.loads(agentview("export", str(path), "--format=json", "--no-mask").stdout)
    lines = [json.loads(line) for line in agentview("events", str(path)).stdout.splitlines()]
    assert document["events"] == lines
    header = document["header"]
    assert (header["provider"], header["masked"]) == ("claude_code", False)
    assert header["session"] == lines[0]["session"]
    assert json.loads(agentview("export", str(path), "--format=json").stdout)["header"]["masked"]


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
    for rule in ("token: ghp_", "token: AKIA", "named value", "secret in base64", "place: openssl"):
        assert rule in report.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert main([*arguments, "--check"]) == 1
    checked = capfd.readouterr()
    assert checked.out == ""
    assert checked.err == report.err.replace("masked: ", "to be masked: ", 1)


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
            assert written.startswith("<!DOCTYPE html>" if form == "html" else "# ")
