"""The preview: the last turn of the session under the cursor, beside the list or below it."""

import json
import time
from pathlib import Path

import pytest
from textual.pilot import Pilot

from agentview.ui.widgets.preview import Preview
from agentview.ui.widgets.prompt_line import InputLine
from tests.ui.app_under_test import screen_text, typed, until
from tests.ui.screens.homes import all_indexed, header_text, library_over, samples

NAME = "claude_code"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("root")
    samples(root, NAME)
    return root


async def find(pilot: Pilot[None], words: str) -> None:
    await all_indexed(pilot)
    await pilot.press("slash")
    await typed(pilot, words)
    await until(pilot, lambda: "1 match" in header_text(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: not pilot.app.screen.query(InputLine))


def previewed(pilot: Pilot[None]) -> str:
    region = pilot.app.screen.query_one(Preview).region
    lines = screen_text(pilot).splitlines()[region.y : region.bottom]
    return "\n".join(line[region.x : region.right] for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "place"), [((160, 45), "-below"), ((220, 45), "-right")])
async def test_tells_the_last_turn_and_what_the_log_holds(
    root: Path, size: tuple[int, int], place: str
) -> None:
    async with library_over(root, NAME).run_test(size=size) as pilot:
        await find(pilot, "split bills")
        assert pilot.app.screen.has_class(place)
        await until(pilot, lambda: "you " in previewed(pilot))
        text = previewed(pilot)
        assert text.strip(" ─│\n").startswith("Fix rounding of split bills")
        assert str(root / NAME) in text
        assert "shell " in text
        assert "agent" in text
        if place == "-below":
            await pilot.press("J", "J")
            await until(pilot, lambda: previewed(pilot) != text)
            await pilot.press("K", "K")
            await until(pilot, lambda: previewed(pilot) == text)


@pytest.mark.slow
async def test_p_shows_it_where_there_is_little_room_and_hides_it(root: Path) -> None:
    async with library_over(root, NAME).run_test(size=(80, 24)) as pilot:
        await all_indexed(pilot)
        assert not pilot.app.screen.query_one(Preview).display
        await pilot.press("p")
        await until(pilot, lambda: "log " in screen_text(pilot))
        await pilot.press("p")
        await until(pilot, lambda: not pilot.app.screen.query_one(Preview).display)
    async with library_over(root, NAME).run_test(size=(60, 12)) as pilot:
        await all_indexed(pilot)
        await pilot.press("p")
        await until(pilot, lambda: "window is too small" in screen_text(pilot))


@pytest.mark.slow
async def test_follows_the_cursor(root: Path) -> None:
    async with library_over(root, NAME).run_test(size=(160, 45)) as pilot:
        await all_indexed(pilot)
        await until(pilot, lambda: "you " in previewed(pilot) or "agent" in previewed(pilot))
        before = previewed(pilot)
        await pilot.press("j", "j", "j")
        await until(pilot, lambda: previewed(pilot) != before and "log " in previewed(pilot))


def log(path: Path, prompts: list[str], filler: int = 0) -> None:
    """A log of one prompt after the other, with so many long results after the last."""
    records: list[dict[str, object]] = []
    base: dict[str, object] = {
        "sessionId": "5e55",
        "cwd": "/home/dev/shop",
        "version": "2.1.0",
        "isSidechain": False,
        "userType": "external",
    }
    for number, prompt in enumerate(prompts):
        records.append({"type": "user", "message": {"role": "user", "content": prompt}})
        text = {"type": "text", "text": f"Answer {number}"}
        message = {"role": "assistant", "model": "m-1", "id": f"r{number}", "content": [text]}
        records.append({"type": "assistant", "message": message})
    for number in range(filler):
        text = {"type": "text", "text": f"Step {number} " + "x" * 2_000}
        message = {"role": "assistant", "model": "m-1", "id": f"f{number}", "content": [text]}
        records.append({"type": "assistant", "message": message})
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        for number, record in enumerate(records):
            ids = {"uuid": f"u{number}", "parentUuid": f"u{number - 1}", "timestamp": stamp}
            file.write(json.dumps(base | ids | record) + "\n")


@pytest.mark.slow
async def test_a_prompt_that_lies_far_back_is_found(tmp_path: Path) -> None:
    path = tmp_path / NAME / "-home-dev-shop" / "5e55.jsonl"
    log(path, ["Begin the long work"], filler=400)
    async with library_over(tmp_path, NAME).run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: "Step 399" in previewed(pilot))
        text = previewed(pilot)
        assert "Begin the long work" in text.split("used")[-1]


@pytest.mark.slow
async def test_what_a_log_says_does_nothing(tmp_path: Path) -> None:
    path = tmp_path / NAME / "-home-dev-shop" / "5e55.jsonl"
    log(path, ["\x1b]0;owned\x07 [red]plain[/] \u202e \x9b31m"])
    async with library_over(tmp_path, NAME).run_test(size=(160, 45)) as pilot:
        await until(pilot, lambda: "Answer 0" in previewed(pilot))
        text = screen_text(pilot)
        assert "[red]plain[/]" in text
        assert not set(text) & {"\x1b", "\x07", "\u202e", "\x9b"}


@pytest.mark.slow
async def test_a_log_that_goes_away_leaves_a_word(tmp_path: Path) -> None:
    path = tmp_path / NAME / "-home-dev-shop" / "5e55.jsonl"
    log(path, ["one"])
    async with library_over(tmp_path, NAME).run_test(size=(160, 45)) as pilot:
        await all_indexed(pilot)
        path.unlink()
        await until(pilot, lambda: "no sessions found" in screen_text(pilot))
