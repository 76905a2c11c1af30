"""Which level a kind has, and what expanding leads to."""

from agentview.domain.activity import Kind, RowKind
from agentview.domain.tools import ToolKind
from agentview.timeline.view.detail_levels import DetailLevel, DetailPreferences

TITLE, SUMMARY, FULL = DetailLevel


def test_each_kind_has_its_own_level_when_nobody_says_anything() -> None:
    preferences = DetailPreferences()
    assert preferences.level(ToolKind.READ) is TITLE
    assert preferences.level(ToolKind.SHELL) is SUMMARY
    assert preferences.level(RowKind.USER) is FULL


def test_a_kind_that_is_named_counts_more_than_the_default_and_less_than_the_flag() -> None:
    chosen: dict[Kind, DetailLevel] = {ToolKind.READ: FULL}
    preferences = DetailPreferences(others=TITLE, chosen=chosen)
    assert preferences.level(ToolKind.READ) is FULL
    assert preferences.level(RowKind.USER) is TITLE
    assert DetailPreferences(SUMMARY, others=TITLE, chosen=chosen).level(ToolKind.READ) is SUMMARY


def test_expanding_goes_one_level_further() -> None:
    preferences = DetailPreferences()
    levels = [preferences.after(level, ToolKind.READ) for level in DetailLevel]
    assert levels == [SUMMARY, FULL, TITLE]


def test_expanding_goes_to_the_level_that_was_set_and_back() -> None:
    preferences = DetailPreferences(expanded=FULL, expanded_by_kind={ToolKind.READ: SUMMARY})
    assert preferences.after(SUMMARY, ToolKind.SHELL) is FULL
    assert preferences.after(FULL, ToolKind.SHELL) is SUMMARY
    assert preferences.after(TITLE, ToolKind.READ) is SUMMARY
    assert preferences.after(SUMMARY, ToolKind.READ) is TITLE
    # What rests at the level that it is expanded to closes to its title.
    assert preferences.after(FULL, RowKind.USER) is TITLE
    assert preferences.after(TITLE, RowKind.USER) is FULL
