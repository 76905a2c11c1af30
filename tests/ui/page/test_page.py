"""The page of a session without a browser: its structure, its policy, and that texts stay texts."""

import base64
import re
import zlib
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agentview.cli import main
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.test_export import HOSTILE, hostile_log

_OWN = frozenset(
    {
        "html", "head", "meta", "title", "style", "noscript", "body", "header", "h1", "dl", "div",
        "dt", "dd", "nav", "label", "select", "option", "p", "span", "button", "script", "main",
        "section", "h2", "article", "time", "a", "pre", "code", "details", "summary", "i", "img",
        "h4", "h5", "h6", "ul", "ol", "li", "strong", "em", "blockquote", "table", "thead", "tbody",
        "tr", "th", "td", "hr", "br", "s",
    }
)  # fmt: skip
_ATTRIBUTES = frozenset(
    {
        "lang", "charset", "http-equiv", "content", "name", "class", "id", "hidden", "aria-label",
        "aria-labelledby", "aria-expanded", "aria-hidden", "type", "role", "value", "selected",
        "href", "datetime", "data-level", "data-part", "data-r", "tabindex", "alt", "src", "open",
    }
)  # fmt: skip


class Parsed(HTMLParser):
    """The elements of a page, those of its packed parts too."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.depth: list[str] = []
        self.parts = 0
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "img", "br", "hr"):
            self.depth.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.depth.pop() == tag

    def handle_data(self, data: str) -> None:
        inside = self.depth[-1] if self.depth else ""
        if inside == "style":
            self.styles.append(data)
        elif inside == "script" and self.tags[-1][1].get("type") is None:
            self.scripts.append(data)
        elif inside == "script":
            self.parts += 1
            self.feed_part(data)
        else:
            self.texts.append(data)

    def feed_part(self, data: str) -> None:
        inner = Parsed(zlib.decompress(base64.b64decode(data), -zlib.MAX_WBITS).decode())
        assert inner.depth == []
        self.tags += inner.tags
        self.texts += inner.texts
        # The next text is no longer that of the data block's own tag.
        self.tags.append(("script", {"type": "part"}))


def _page(path: Path, tmp_path: Path, *options: str) -> Parsed:
    out = tmp_path / "page.html"
    assert main(["export", str(path), "-o", str(out), *options]) == 0
    return Parsed(out.read_text())


def test_the_policy_forbids_all_but_its_own_script_and_style(tmp_path: Path) -> None:
    page = _page(write(tmp_path / "a.jsonl", conversation(ClaudeLog(), 2)), tmp_path)
    policy = next(
        attributes["content"] or ""
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data:"

    def hashes(texts: list[str]) -> set[str]:
        digests = (base64.b64encode(sha256(text.encode()).digest()).decode() for text in texts)
        return {f"'sha256-{digest}'" for digest in digests}

    assert len(page.scripts) == 1
    assert set(rules["script-src"].split()) == hashes(page.scripts)
    assert set(rules["style-src"].split()) == hashes(page.styles)
    assert set(rules) == {
        "default-src", "script-src", "style-src", "img-src", "base-uri", "form-action",
    }  # fmt: skip


@pytest.mark.parametrize("level", ["title", "full"])
def test_hostile_texts_are_texts(tmp_path: Path, level: str) -> None:
    page = _page(hostile_log(tmp_path / "log.jsonl"), tmp_path, "--detail", level)
    assert {tag for tag, _ in page.tags} <= _OWN
    assert {name for _, attributes in page.tags for name in attributes} <= _ATTRIBUTES
    for tag, attributes in page.tags:
        if tag == "a":
            assert (attributes["href"] or "").startswith("#a-")
        assert tag != "img"
    assert page.depth == []
    text = "".join(page.texts)
    for hostile in HOSTILE[:3]:
        assert hostile in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_turns_have_headings_and_activities_ids_and_signs_words(tmp_path: Path) -> None:
    log = ClaudeLog()
    records = [*conversation(log, 2), log.prompt("Go"), log.call("x", "Bash", command="false")]
    records += [log.result("x", "Exit code 3\nno such thing", is_error=True)]
    page = _page(write(tmp_path / "a.jsonl", records), tmp_path)
    tags = [tag for tag, _ in page.tags]
    assert (tags.count("h1"), tags.count("h2"), tags.count("main"), tags.count("nav")) == (
        1,
        3,
        1,
        1,
    )
    ids = [attributes["id"] for tag, attributes in page.tags if tag == "article"]
    assert len(ids) == len(set(ids)) == 8
    labels = {each.get("aria-labelledby") for tag, each in page.tags if tag == "section"}
    assert labels == {f"turn-{number}-h" for number in (1, 2, 3)}
    assert {"succeeded", "failed"} <= set(page.texts)
    assert "no such thing" in "".join(page.texts)


def test_a_diff_has_its_signs_numbers_and_words(tmp_path: Path) -> None:
    log = ClaudeLog()
    old, new = "def greet():\n    return 'hello'\n", "def greet():\n    return 'good day'\n"
    records = [
        log.prompt("Change it"),
        log.call("x", "Edit", file_path="/home/dev/shop/a.py", old_string=old, new_string=new),
        log.result("x", "ok"),
    ]
    page = _page(write(tmp_path / "a.jsonl", records), tmp_path, "--detail", "full")
    names = [(attributes.get("class") or "").split() for _, attributes in page.tags]
    assert sum(name[:2] == ["l", "added"] for name in names) == 1
    assert sum(name[:2] == ["l", "removed"] for name in names) == 1
    assert any("p-added-word" in name for name in names)
    assert any("p-keyword" in name for name in names)
    rows = {
        each["class"]: each["data-r"]
        for _, each in page.tags
        if (each.get("class") or "")[:2] == "l "
    }
    assert rows["l added"] == rows["l removed"]


def test_colors_of_a_command_are_classes(tmp_path: Path) -> None:
    log = ClaudeLog()
    text = "\x1b[31mred\x1b[0m \x1b[38;5;201mpink\x1b[0m \x1b[38;2;10;200;30mgreen\x1b[0m plain"
    records = [
        log.prompt("Run it"),
        log.call("x", "Bash", command="ls"),
        log.result("x", text, {"stdout": text, "stderr": "", "interrupted": False}),
    ]
    page = _page(write(tmp_path / "a.jsonl", records), tmp_path)
    names = {attributes.get("class") for tag, attributes in page.tags if tag == "span"}
    assert {"f1", "f201"} <= names
    style = "".join(page.styles)
    assert all(f".{name}{{" in style for name in names if name and re.fullmatch(r"[fg]\d+", name))


def test_agents_are_below_their_calls(tmp_path: Path) -> None:
    log, agent = ClaudeLog(), ClaudeLog(agent="a1")
    answer = {"content": [{"type": "text", "text": "done"}], "agentId": "a1", "status": "completed"}
    records = [
        log.prompt("Ask another"),
        log.call("x", "Agent", prompt="Look", description="Look around", subagent_type="x"),
        log.result("x", "done", answer),
    ]
    path = write(tmp_path / f"{log.session}.jsonl", records)
    write(
        tmp_path / log.session / "subagents" / "agent-a1.jsonl",
        [agent.prompt("Look"), agent.text("I looked under the stairs.")],
    )
    page = _page(path, tmp_path)
    text = "".join(page.texts)
    assert "I looked under the stairs." in text
    assert any(each.get("class") == "agent" for tag, each in page.tags if tag == "details")
    assert "enter opens its timeline" not in text


def test_a_list_in_the_answer_of_an_agent_keeps_its_numbers(tmp_path: Path) -> None:
    log = ClaudeLog()
    found = "Found:\n\n1. alpha\n2. beta\n\n- gamma"
    answer = {"content": [{"type": "text", "text": found}], "agentId": "a1", "status": "completed"}
    records = [
        log.prompt("Ask another"),
        log.call("x", "Agent", prompt="Look", description="Look around", subagent_type="x"),
        log.result("x", found, answer),
    ]
    page = _page(write(tmp_path / "log.jsonl", records), tmp_path, "--detail=full")
    items = [each for tag, each in page.tags if tag == "div" and each.get("class") == "item"]
    text = "".join(page.texts)
    assert len(items) == 3
    assert re.search(r"1\.\s*alpha\s*2\.\s*beta\s*•\s*gamma", text)


def test_a_body_of_one_line_is_left_out_only_where_the_title_has_it(tmp_path: Path) -> None:
    log = ClaudeLog()
    said = log.record(
        "system", subtype="api_error", error={"status": 529}, retryAttempt=1, maxRetries=10,
        retryInMs=500.0,
    )  # fmt: skip
    out = log.prompt("<local-command-stdout>Set the sail</local-command-stdout>")
    page = _page(write(tmp_path / "log.jsonl", [log.prompt("Sail"), said, out]), tmp_path)
    texts = "\n".join(page.texts)
    assert "retry 1 of 10" in texts
    assert texts.count("Set the sail") == 1


def test_a_long_prompt_is_cut_in_its_heading_and_whole_below_it(tmp_path: Path) -> None:
    log = ClaudeLog()
    prompt = "Explain " + "the thing " * 20 + "at last."
    page = _page(write(tmp_path / "log.jsonl", [log.prompt(prompt)]), tmp_path)
    text = "".join(page.texts)
    assert f"{prompt[:119].rstrip()}…" in text
    assert prompt in text


def test_paper_is_white_whatever_the_screen_is(tmp_path: Path) -> None:
    page = _page(write(tmp_path / "log.jsonl", conversation(ClaudeLog(), 1)), tmp_path)
    style = "".join(page.styles)
    dark = [match.start() for match in re.finditer("--bg:#14171c", style)]
    assert len(dark) == 2
    for at in dark:
        line = style[style.rindex("\n", 0, at) + 1 : at]
        assert line.startswith("@media screen")


@pytest.mark.slow
def test_a_long_session_is_packed_and_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", conversation(ClaudeLog(), 300, size=20_000))
    page = _page(path, tmp_path)
    assert page.parts > 5
    text = "".join(page.texts)
    assert all(f"Step {turn} is done." in text for turn in range(300))
    assert sum(tag == "article" for tag, _ in page.tags) == 900
    assert (tmp_path / "page.html").stat().st_size < path.stat().st_size
