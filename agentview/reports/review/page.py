"""A review as an HTML page: one file without script and without any request."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from agentview.reports.review.review import Origin, Review, ReviewedFile, ReviewedHunk
from agentview.reports.review.words import (
    calls_words,
    commands_of,
    file_words,
    origin_mark,
    range_words,
    runs_words,
    summary_words,
    turn_words,
    unknown_words,
)
from agentview.timeline.view.format_numbers import UNKNOWN
from agentview.timeline.view.sanitize import clean, one_line

_STYLE = """\
:root{color-scheme:light dark;--fg:#1d2129;--bg:#fff;--dim:#5b6470;--line:#d5dae1;--soft:#f4f6f8;
--added:#e3f6e5;--removed:#fde8e8}
@media(prefers-color-scheme:dark){:root{--fg:#dfe3e8;--bg:#14171c;--dim:#9aa4b1;--line:#353c46;
--soft:#1c2027;--added:#15301d;--removed:#3b1a1d}}
body{margin:0 auto;max-width:75rem;padding:1rem clamp(.75rem,3vw,2rem) 4rem;color:var(--fg);
background:var(--bg);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h2{border-top:1px solid var(--line);padding-top:.75rem}
h3,code,table,blockquote{font:13px/1.5 ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace}
h2 small,p,.n{color:var(--dim)}
blockquote{margin:.25rem 0;padding:.5rem .75rem;border-left:3px solid var(--line);
background:var(--soft);white-space:pre-wrap;max-height:20rem;overflow:auto}
ol{padding-left:1.5rem}
table{border-collapse:collapse;width:100%}
td{padding:0 .5rem;vertical-align:top;white-space:pre-wrap;tab-size:4}
td:last-child{width:100%}
.n{text-align:right;user-select:none}
.added{background:var(--added)}
.removed{background:var(--removed)}
"""
_KINDS = {"+": "added", "-": "removed", " ": "kept"}


def page(review: Review) -> Iterator[str]:
    """The page in pieces."""
    style = b64encode(sha256(_STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
    title = f"Review of {escape(one_line(review.range))}"
    yield (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f'<meta name="referrer" content="no-referrer">\n<title>{title}</title>\n'
        f"<style>{_STYLE}</style></head>\n<body><header><h1>{title}</h1>\n"
        f"<p>{escape(summary_words(review))}</p></header>\n<main>\n"
    )
    for file in review.files:
        yield from _file(file)
    yield "</main></body></html>\n"


def _file(file: ReviewedFile) -> Iterator[str]:
    words = file_words(file)
    small = f" <small>{escape(words)}</small>" if words else ""
    yield f"<section><h2>{escape(clean(file.path))}{small}</h2>\n"
    for hunk in file.hunks:
        yield f"<h3>{escape(range_words(hunk))}</h3>\n<ol>\n"
        yield from map(_origin, hunk.origins)
        yield "</ol>\n"
        if hunk.unknown:
            yield f"<p>{UNKNOWN} {unknown_words(hunk)}</p>\n"
        yield from _table(hunk)
    yield "</section>\n"


def _origin(origin: Origin) -> str:
    prompt = "\n".join(map(clean, (origin.prompt or "").split("\n")))
    commands = "".join(f"<p><code>{escape(each)}</code></p>" for each in commands_of(origin))
    title = f" {escape(one_line(origin.title, 200))}" if origin.title else ""
    runs = escape(runs_words(origin))
    if origin.runs:
        runs += f" <code>{escape(one_line(origin.runs[-1].command, 200))}</code>"
    return (
        f"<li><code>{escape(one_line(origin.session_id))}</code>{title}, "
        f"{escape(turn_words(origin))}\n"
        f"<blockquote>{escape(prompt) or UNKNOWN}</blockquote>"
        f"<p>{escape(calls_words(origin))}</p>{commands}<p>{runs}</p></li>\n"
    )


def _table(hunk: ReviewedHunk) -> Iterator[str]:
    yield '<table aria-label="lines: origin, old and new number, text">\n'
    for line in hunk.lines:
        cells = (origin_mark(line), line.old or "", line.new or "")
        numbers = "".join(f'<td class="n">{cell}</td>' for cell in cells)
        text = escape(line.sign + clean(line.text))
        yield f'<tr class="{_KINDS[line.sign]}">{numbers}<td>{text}</td></tr>\n'
    yield "</table>\n"
