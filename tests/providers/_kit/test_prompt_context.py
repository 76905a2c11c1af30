"""Context that a host application puts in front of a prompt, by its form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentview.providers._kit.prompt_context import split_context, spoken

PARTED = (
    "<system_instruction>\nYou are in a host.\n</system_instruction>\n\nfix the login page",
    "<anything_context>one line</anything_context>\nfix the login page",
    "<host-briefing-context>\na\n</host-briefing-context>\nfix the login page",
    "<attached_files>\n<file path='a'>x</file>\n</attached_files>\n\nfix the login page",
    "<briefing>\nThe team works on the shop.\n</briefing>\n\nfix the login page",
    "<desk_note>\nb\n</desk_note>\nfix the login page",
    "<a_context>x</a_context>\n<b_context>y</b_context>\n\nfix the login page",
    "# Project context\nfiles: a, b\n\n## My request for Codex:\nfix the login page",
    "# Open tabs\n- a.py\n\n## User's prompt\nfix the login page\n",
)
WHOLE = (
    "<div>\nfoo\n</div>\n\nwhy is this not centered?",
    "<my-card>\nfoo\n</my-card>\n\nwhy is this element empty?",
    "<ThemeContext>\nfoo\n</ThemeContext>\n\nwhy does this render twice?",
    "<item>foo</item> is what I get",
    "<project_settings>\n<option>1</option>\n</project_settings>",
    "<build_config>\n<option>1</option>\n</build_config>\n\nis this XML valid?",
    "<system_instruction>\nthe tag is never closed\n\nfix it",
    "<system_instruction>only this</system_instruction>",
    "what does <system_context>x</system_context> mean?",
    "<T>(x: T) => T is a function",
    "## My request:\nfix the login page",
    "# Plan\nsteps\n\n## Task\nfix the login page",
    "fix it\n\n## My request:\nplease",
    "",
)


@pytest.mark.parametrize("text", PARTED)
def test_context_in_front_of_a_prompt_is_beside_it(text: str):
    user = spoken(text)
    assert user.text == "fix the login page"
    assert user.context
    assert all(block in text for block in user.context)


@pytest.mark.parametrize("text", WHOLE)
def test_a_prompt_that_begins_with_a_tag_stays_the_persons(text: str):
    assert split_context(text) == ((), text)


@given(st.text(alphabet="<>/ab_\n# y", max_size=200))
def test_nothing_is_lost(text: str):
    context, words = split_context(text)
    joined = "".join(context) + words
    if not context:
        assert words == text
    assert set("".join(joined.split())) <= set(text)
    for part in (*context, words):
        assert part in text
