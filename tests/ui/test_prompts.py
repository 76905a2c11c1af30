"""Prompts of a person: nothing in their rows is empty, and what came with them is folded."""

from msgspec.structs import replace

from agentview.domain.content import ImageBlock
from agentview.domain.events import User
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.ui.activity_widget import RowLayout
from agentview.ui.render.collapsible import Folds
from tests.ui.activities import activity
from tests.ui.render.looks import SPACE

CONTEXT = ("<env>\nday: today\n</env>", "more")


def rows(prompt: User, folds: Folds = SPACE.folds) -> list[str]:
    view = RowLayout(activity(prompt), DetailLevel.FULL, replace(SPACE, folds=folds))
    return [text.rstrip() for text in view.texts(0, view.height)]


def test_a_prompt_of_one_line_is_the_title_and_its_context_is_folded_below() -> None:
    prompt = User("find the needle", context=CONTEXT)
    title, head = rows(prompt)
    assert title.split()[:4] == ["you", "find", "the", "needle"]
    assert head == "▸ context in front of the prompt, 5 lines"
    opened = rows(prompt, Folds(toggled=frozenset({"context"})))
    assert opened[2:] == ["<env>", "day: today", "</env>", "", "more"]


def test_an_image_stands_below_the_prompt_it_came_with() -> None:
    prompt = User("look", blocks=(ImageBlock(media_type="image/png"),))
    assert [text.split()[0] for text in rows(prompt)] == ["you", "image"]
    assert "look" in rows(prompt)[0]


def test_a_prompt_of_several_lines_has_all_of_them_below_its_title() -> None:
    title, *lines = rows(User("one\ntwo", context=CONTEXT))
    assert title.split()[:3] == ["you", "2", "lines"]
    assert lines[:2] == ["one", "two"]
