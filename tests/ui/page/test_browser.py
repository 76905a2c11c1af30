"""The page in a real browser: it asks for nothing, runs nothing of a log, and can be used."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentview.cli import main
from agentview.providers import recognise
from agentview.sources.open_file import read_head
from agentview.system.paths import sample_sessions_dir
from tests.claude_log import ClaudeLog, conversation, write
from tests.cli.test_export import hostile_log
from tests.ui.page.chromium import Chromium, axe_source

pytestmark = [pytest.mark.slow, pytest.mark.long]


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    """One for all tests, since a page keeps nothing in it: its start takes longer than most."""
    # Not below tmp_path: its path is longer than a socket of Chromium may be.
    with tempfile.TemporaryDirectory() as profile, Chromium(Path(profile)) as chromium:
        yield chromium


def _written(log: Path, out: Path, *options: str) -> Path:
    assert main(["export", str(log), "-o", str(out), *options]) == 0
    return out


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page so long that most of its 900 activities are packed."""
    folder = tmp_path_factory.mktemp("packed")
    log = write(folder / "a.jsonl", conversation(ClaudeLog(), 300, size=20_000))
    return _written(log, folder / "a.html")


def _quiet(browser: Chromium, page: Path) -> None:
    # Images are in the page itself.
    asked = [url for url in browser.requests if not url.startswith("data:image/")]
    assert asked == [page.as_uri()]
    assert browser.console == []


def test_hostile_texts_run_nothing(browser: Chromium, tmp_path: Path) -> None:
    page = _written(hostile_log(tmp_path / "a.jsonl"), tmp_path / "a.html", "--detail", "full")
    browser.open(page)
    browser.wait("document.querySelectorAll('.a').length >= 50")
    assert browser.run("window.hit") is None
    assert browser.run("document.querySelectorAll('iframe,object,svg,img,base').length") == 0
    _quiet(browser, page)


def test_keys_levels_and_diffs(browser: Chromium, tmp_path: Path) -> None:
    log = ClaudeLog()
    old, new = "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 22\nc = 3\n"
    records = [
        *conversation(log, 3),
        log.prompt("Change it"),
        log.call("x", "Edit", file_path="/home/dev/shop/a.py", old_string=old, new_string=new),
        log.result("x", "ok"),
    ]
    page = _written(write(tmp_path / "a.jsonl", records), tmp_path / "a.html")
    browser.open(page)
    opened = "document.querySelectorAll('.a.open').length"
    for level, expected in (("title", 0), ("full", 11)):
        browser.run(f"one('level').value='{level}';one('level').dispatchEvent(new Event('change'))")
        assert browser.run(opened) == expected
    browser.run("one('diffs').value='split';one('diffs').dispatchEvent(new Event('change'))")
    left, right = browser.run(
        "['removed', 'added'].map((n) => document.querySelector('.l.' + n).getBoundingClientRect())"
        ".map((r) => [r.x, r.y])"
    )
    assert left[1] == right[1]
    assert left[0] < right[0]
    browser.press("j")
    browser.press("j")
    browser.press("k")
    assert browser.run("[...document.querySelectorAll('.a')].indexOf(at)") == 0
    browser.press("o")
    assert browser.run("at.classList.contains('open')") is False
    _quiet(browser, page)


def test_a_key_asks_only_for_what_it_leads_to(browser: Chromium, tmp_path: Path) -> None:
    # A turn out of view is laid out when one of its activities is asked whether it is visible.
    page = _written(write(tmp_path / "a.jsonl", conversation(ClaudeLog(), 40)), tmp_path / "a.html")
    browser.open(page)
    browser.run(
        "window.asked = 0; window.visible = Element.prototype.checkVisibility;"
        "Element.prototype.checkVisibility = function () { asked += 1; return visible.call(this); }"
    )
    place = "[...document.querySelectorAll('.a')].indexOf(at)"
    for key, expected in (("j", 0), ("j", 1), ("j", 2), ("k", 1), ("k", 0), ("k", 0)):
        browser.press(key)
        assert browser.run(place) == expected
    assert browser.run("asked") <= 6
    assert browser.console == []


def test_a_link_leads_to_an_activity_that_is_packed(browser: Chromium, packed: Path) -> None:
    browser.open(packed)
    browser.run("unpackAll()")
    browser.wait("later().length === 0 && document.querySelectorAll('.later').length === 0")
    assert browser.run("document.querySelectorAll('.a').length") == 900
    last = browser.run("[...document.querySelectorAll('.a')].pop().id")
    browser.open(packed, f"#{last}")
    browser.wait("at !== null && at.id === location.hash.slice(1)")
    assert browser.console == []


def test_a_link_leads_to_an_activity_that_is_being_unpacked(
    browser: Chromium, packed: Path
) -> None:
    browser.open(packed)
    browser.run("unpackAll()")
    last = browser.run("[...document.querySelectorAll('.a')].pop().id")
    browser.open(packed)
    begun = (
        "(() => { const parts = later(); for (const part of parts) unpack(part);"
        f"history.replaceState(null, '', '#{last}'); go(); return parts.length; }})()"
    )
    assert browser.run(begun) > 0
    browser.wait(f"at !== null && at.id === '{last}'")
    assert browser.console == []


def test_a_folded_part_opens_where_the_search_of_the_browser_finds_it(
    browser: Chromium, tmp_path: Path
) -> None:
    path = write(tmp_path / "a.jsonl", conversation(ClaudeLog(), 2))
    page = _written(path, tmp_path / "a.html", "--detail", "title")
    browser.open(page, "")
    hidden = "[...document.querySelectorAll('.b')].map((b) => b.getAttribute('hidden'))"
    assert set(browser.run(hidden)) == {"until-found"}
    # What the browser does for a match: it says so, and the part opens.
    found = "new Event('beforematch', {bubbles: true})"
    browser.run(f"document.querySelectorAll('.b')[1].dispatchEvent({found})")
    assert browser.run(hidden)[1] is None


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser: Chromium, tmp_path: Path, theme: str) -> None:
    source = axe_source()
    log = sample_sessions_dir() / "claude_code" / "tools.jsonl"
    page = _written(log, tmp_path / "a.html")
    browser.open(page)
    browser.run(f"{source};0")
    for level in ("default", "title", "full"):
        browser.run(f"one('theme').value='{theme}';one('theme').dispatchEvent(new Event('change'))")
        browser.run(f"one('level').value='{level}';one('level').dispatchEvent(new Event('change'))")
        found = browser.run(
            "axe.run(document).then((r) => r.violations"
            ".filter((v) => ['serious', 'critical'].includes(v.impact))"
            ".map((v) => [v.id, v.nodes[0].html]))"
        )
        assert found == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", ["demo", "history"])
def test_colours_of_a_log_can_be_read_on_the_page(
    browser: Chromium, tmp_path: Path, name: str, theme: str
) -> None:
    source = axe_source()
    log = sample_sessions_dir() / "gemini_cli" / f"{name}.jsonl"
    page = _written(log, tmp_path / "a.html", "--detail", "full")
    browser.open(page)
    browser.run(f"{source};0")
    browser.run(f"one('theme').value='{theme}';one('theme').dispatchEvent(new Event('change'))")
    assert browser.run("document.querySelectorAll('.f196').length")
    found = browser.run(
        "axe.run(document, {runOnly: ['color-contrast']}).then((r) => r.violations"
        ".flatMap((v) => v.nodes.map((n) => n.html)))"
    )
    assert found == []


def test_every_sample_is_quiet(browser: Chromium, tmp_path: Path) -> None:
    count = 0
    for path in sorted(sample_sessions_dir().rglob("*.json*")):
        if not path.is_file() or recognise(read_head(path, 65_536), path) is None:
            continue
        page = _written(path, tmp_path / "a.html", "--detail", "full")
        browser.open(page)
        _quiet(browser, page)
        assert browser.run("document.querySelectorAll('main .a, main p').length") > 0
        count += 1
    assert count > 100
