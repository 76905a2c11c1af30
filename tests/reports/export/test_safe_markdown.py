"""Random texts as Markdown: nothing in them is a link, a picture or a mention."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from agentview.reports.export.document.safe_markdown import code, plain, quoted
from tests.cli.test_export import as_a_forge_shows

_PIECES = (
    "https://evil.example/a", "http:", "//evil.example", "www.", "evil.example", "me", "@",
    "#", "12", "!", "&", "GH-", "mailto:", "xmpp:", "_", "*", "`", "``", "|", "<", ">", "[x](", ")",
    "](/y)", "\\", " ", "\n", "\n\n", "    ", "- ", "> ", "```", "~~~ js", "&#64;", "&colon;",
    "<!--", "-->", "&lt;",
)  # fmt: skip
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)


@given(_TEXTS)
@example("@` `http:")
@example("//evil.example@` `evil.example")
@example("`~~~ jshttps://evil.example/a``http:`www.")
@example("`https://evil.example/a``https://evil.example/a`https://evil.example/a")
def test_no_text_is_a_link_or_a_mention(text: str) -> None:
    for lines in (quoted(text), [plain(text)], [f"- {code(text)} {plain(text)}"]):
        page = as_a_forge_shows("\n".join(lines))
        assert not re.search(r"<(a|img|script)\b", page)
        shown = re.sub(r"(?s)<code.*?</code>", " ", page)
        assert not re.search(
            r"(?<!\w)@\w|(?<!\w)[#!]\d|\bGH-\d|\w://", re.sub(r"<[^>]*>", " ", shown)
        )
