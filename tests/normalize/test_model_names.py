"""One model has many names."""

import pytest

from agentview.normalize.model_names import context_window, names_of
from agentview.providers import load_provider


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("claude-opus-4-6", "claude-opus-4-6"),
        ("claude-sonnet-5[1m]", "claude-sonnet-5"),
        ("gpt-5 (high)", "gpt-5"),
        ("gpt-5-codex-high", "gpt-5-codex"),
        ("gpt-5.1-codex-max-xhigh", "gpt-5.1-codex-max"),
        ("o3-low", "o3"),
        ("claude-4.5-opus-high-thinking", "claude-opus-4.5"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("vertex_ai/claude-opus-4-5@20251101", "claude-opus-4-5"),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        ("bedrock/eu.anthropic.claude-opus-4-6-v1", "claude-opus-4-6"),
        ("us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"),
        (
            "arn:aws:bedrock:us-east-1:123:inference-profile/global.anthropic.claude-opus-4-6-v1:0",
            "claude-opus-4-6",
        ),
        ("openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4.5"),
        ("anthropic:claude-opus-4-5", "claude-opus-4-5"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("gpt-5.1-2025-11-13", "gpt-5.1"),
    ],
)
def test_the_plain_name_is_among_the_names(name: str, plain: str) -> None:
    names = [*names_of(name)]
    assert plain in names
    assert len(names) == len({*names})


@pytest.mark.parametrize(
    "name", ["mistral-medium", "qwen3-max", "kimi-k2-thinking", "gpt-oss:20b", "glm-4.6:free"]
)
def test_what_is_a_part_of_a_name_stays(name: str) -> None:
    assert [*names_of(name)] == [name]


@pytest.mark.parametrize("name", ["", " ", "/", ":", "[", "()", "-high", "@", "." * 99, "a/" * 99])
def test_no_name_does_harm(name: str) -> None:
    assert all(each for each in names_of(name))
    assert context_window(name) is None


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("claude-3-5-haiku-20241022", 200_000),
        ("claude-3-opus-20240229", 200_000),
        ("claude-sonnet-4-20250514", 200_000),
        ("claude-opus-4-1-20250805", 200_000),
        ("claude-sonnet-4-5-20250929", 200_000),
        ("claude-haiku-4-5", 200_000),
        ("claude-opus-4-6", 1_000_000),
        ("anthropic/claude-sonnet-4.6", 1_000_000),
        ("claude-opus-5", 1_000_000),
        ("claude-sonnet-5", 1_000_000),
        ("claude-opus-5-5", 1_000_000),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("opus[500K]", 500_000),
        ("gemini-2.5-pro", 1_048_576),
        ("claude-opus-9-9-9", None),
        ("claude-opus-99", None),
        ("my-claude", None),
    ],
)
def test_windows_are_known_by_name(name: str, tokens: int | None) -> None:
    assert context_window(name) == tokens


def test_who_held_more_than_its_window_has_another_one() -> None:
    claude, codex = load_provider("claude_code"), load_provider("codex")
    assert claude.window("claude-sonnet-4-5", 200_000) == 200_000
    assert claude.window("claude-sonnet-4-5", 451_000) is None
    assert claude.window("claude-sonnet-4-5", None) == 200_000
    assert claude.window(None, 5) is None
    # A client may use less than a model has.
    assert codex.window("gpt-5-codex-high", 5) == 258_400
