"""One activity as HTML: its title as a button, and below it what the screen shows at full level."""

import base64
import binascii
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.content import Block, ImageBlock
from agentview.domain.events import Attachment, Message, Reasoning, User
from agentview.domain.tools import ToolCall
from agentview.reports.export.document.entries import Entry
from agentview.timeline.view.detail_levels import DetailLevel
from agentview.timeline.view.format_numbers import duration_text
from agentview.timeline.view.sanitize import clean
from agentview.timeline.view.titles.title import StatusIcon, Title, title_of
from agentview.ui.activity_widget import widget_for
from agentview.ui.page.markup import markup
from agentview.ui.page.prose import prose
from agentview.ui.page.styles import PALETTE, span
from agentview.ui.render.collapsible import Folds
from agentview.ui.render.lazy_lines import LazyLines, RenderContext
from agentview.ui.render.style.glyphs import UNICODE

_WIDTH = 140
"""Cells at which texts are wrapped that the screen wraps; lines of files are not wrapped."""
_SPACE = RenderContext(_WIDTH, PALETTE, split=False, folds=Folds(every=True))
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_LARGEST = 8 * 1024 * 1024
"""Characters of an image in base64 that is put into a page."""
_MARKS = {
    StatusIcon.OK: "succeeded",
    StatusIcon.ANSWERED: "ended",
    StatusIcon.FAILED: "failed",
    StatusIcon.RUNNING: "running",
    StatusIcon.STREAMING: "arguments incomplete",
    StatusIcon.DENIED: "denied",
    StatusIcon.ABANDONED: "without a result",
    StatusIcon.WARNING: "warning",
}


def article(entry: Entry, level: DetailLevel) -> str:
    """The activity, shown at a level; `level` is what it has as long as no other is chosen."""
    activity = entry.activity
    title = title_of(activity)
    body = "".join(_body(entry, title))
    name = f"a-{escape(activity.first.id)}"
    is_open = bool(body) and level is not DetailLevel.TITLE
    short = is_open and level is DetailLevel.SUMMARY
    repeats = widget_for(title.kind).REPEATS_TITLE and bool(body)
    states = {
        title.kind.value: True,
        "says": repeats,
        "off": activity.abandoned,
        "open": is_open,
        "short": short,
    }
    names = " ".join(["a", *(state for state, on in states.items() if on)])
    # The button and what it opens; an activity that is its title has no button.
    tag = "button" if body else "span"
    state = f' type="button" aria-expanded="{"true" if is_open else "false"}"' if body else ""
    hidden = "" if is_open else ' hidden="until-found"'
    focus = ' tabindex="0" role="group" aria-label="summary"' if short else ""
    return "".join(
        (
            f'<article class="{names}" id="{name}" data-level="{level.value}">',
            f'<div class="h"><{tag} class="r"{state}>{_title(title, activity)}</{tag}>',
            _bookmark(entry),
            f'<a href="#{name}" aria-label="Link to this activity">#</a></div>',
            _note(entry),
            f'<div class="b"{hidden}{focus}>{body}</div>' if body else "",
            "</article>\n",
        )
    )


def _title(title: Title, activity: Activity) -> str:
    mark = _MARKS.get(title.mark)
    sign = UNICODE.marks[title.mark]
    parts = [
        _time(title.time),
        f'<span class="m m-{title.mark.value}" aria-hidden="true">{sign}</span>',
        f'<span class="vh">{mark}</span> ' if mark else "",
        '<span class="vh">abandoned</span> ' if activity.abandoned else "",
        f'<span class="label">{escape(title.label)}</span> ',
        f'<span class="subject">{escape(title.subject)}</span>' if title.subject else "",
        f' <span class="detail">{escape(title.detail)}</span>' if title.detail else "",
    ]
    if title.duration is not None and title.duration >= 0.05:
        parts.append(f' <span class="took">{duration_text(title.duration)}</span>')
    return "".join(parts)


def _bookmark(entry: Entry) -> str:
    if not entry.bookmarked:
        return ""
    return (
        f'<span class="mark" aria-hidden="true">{UNICODE.bookmark}</span>'
        '<span class="vh">bookmarked</span>'
    )


def _note(entry: Entry) -> str:
    """The person's note: shown at every level."""
    if not entry.note:
        return ""
    sign = f'<span aria-hidden="true">{UNICODE.note}</span><span class="vh">note:</span>'
    return f'<p class="own">{sign} {escape(clean(entry.note))}</p>'


def _time(moment: float | None) -> str:
    try:
        when = None if moment is None else datetime.fromtimestamp(moment, UTC)
    except (ValueError, OverflowError, OSError):
        when = None
    if when is None:
        return '<span class="t">–</span> '
    return f'<time class="t" datetime="{when:%Y-%m-%dT%H:%M:%SZ}">{when:%H:%M:%S}</time> '


def _body(entry: Entry, title: Title) -> Iterator[str]:
    activity, body = entry.activity, entry.activity.body
    if isinstance(body, Message | Reasoning):
        yield prose(body.text) if body.text.strip() else ""
    elif isinstance(body, User):
        text = body.text.strip("\n")
        yield f'<pre class="prose">{_plain(text)}</pre>' if text else ""
        for context in body.context:
            yield "<details><summary>context in front of the prompt</summary>"
            yield f"<pre>{_plain(context)}</pre></details>"
    else:
        shown = activity
        if entry.agents or activity.child is not None:
            # Its timeline is below it here.
            shown = replace(activity, child=None, child_summary=None)
        made = widget_for(entry.kind).body(shown, DetailLevel.FULL, _SPACE)
        if made is not None and made.height and not _says_it(activity, title, made):
            yield from markup(made)
    yield from map(_picture, _images(activity))


def _says_it(activity: Activity, title: Title, made: LazyLines) -> bool:
    """Return True if the title has all of the body, as for a command's output of one line."""
    if made.height > 1 or isinstance(activity.body, ToolCall | Attachment):
        return False
    return made.strips(0, 1)[0].text.strip() in f"{title.subject}  {title.detail}"


def _plain(text: str) -> str:
    return "\n".join(span(line, None) for line in text.replace("\r\n", "\n").split("\n"))


def _images(activity: Activity) -> Iterable[ImageBlock]:
    body = activity.body
    blocks: list[Block] = [*getattr(body, "blocks", ())]
    if isinstance(body, ToolCall):
        media: tuple[Block, ...] = getattr(body.result, "media", ())
        blocks += media or body.output
    return (block for block in blocks if isinstance(block, ImageBlock))


def _picture(block: ImageBlock) -> str:
    data = block.data
    if block.media_type not in _PICTURES or not data or len(data) > _LARGEST:
        return ""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return ""
    source = f"data:{block.media_type};base64,{base64.b64encode(raw).decode()}"
    return f'<img alt="image of the log, {escape(block.media_type)}" src="{source}">'
