"""The last sentence of a message, as lists show it."""

import pytest

from agentview.timeline.view.overview.last_words import MOST, last_sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("One thing. Want me to proceed with all three?", "Want me to proceed with all three?"),
        (
            "First line.\n\nLast **line** of it, with `code` in it.",
            "Last line of it, with code in it.",
        ),
        ("Ran it.\n\n```sh\nrm -rf x. Yes.\n```\n", "Ran it."),
        ("Ran it.\n\n```sh\nnever closed", "Ran it."),
        ("All of it is there now. Done.", "All of it is there now. Done."),
        (
            "# Summary\n\n1. one\n2. Version 1.2.3 of it is out",
            "Version 1.2.3 of it is out",
        ),
        ("It says “Stop now, please.” Then it went on as before.", "Then it went on as before."),
        ("終わりました。次に進みますか？", "終わりました。次に進みますか？"),
        ("As listed.\n\n| a | b |\n|---|---|\n| c | d |", "As listed."),
        (
            "See [the page](https://a.b/c_d) and a[1](x y) of it.",
            "See the page and a[1](x y) of it.",
        ),
        ("---\n\n***\n", None),
        ("", None),
        ("```\nonly code\n```", None),
    ],
)
def test_it_is_what_a_person_reads_last(text: str, said: str | None) -> None:
    assert last_sentence(text) == said


@pytest.mark.parametrize("unit", ["x", "a. ", "[a](", "`", "```\n", "(", "> ", "\x1b[", "** "])
def test_a_long_text_takes_no_time_and_is_cut(unit: str) -> None:
    said = last_sentence(unit * 400_000)
    assert said is None or 0 < len(said) <= MOST
    assert said is None or "\x1b" not in said
