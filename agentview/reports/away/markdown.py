"""The away report as Markdown, to paste or to send."""

from collections.abc import Callable, Iterator, Mapping

from agentview.reports.away.lines import Item, report_lines, summary
from agentview.reports.away.report import AwayReport
from agentview.reports.export.document.safe_markdown import plain


def markdown(
    report: AwayReport, labels: Mapping[str, str], now: float, mask: Callable[[str], str] = str
) -> Iterator[str]:
    """Its lines, without their ends; `mask` hides secrets."""
    yield "# Away report"
    yield ""
    yield plain(summary(report, now))
    for _, lines in report_lines(report, labels, mask):
        for line in lines:
            text = plain(line.text)
            if line.item is Item.SESSION:
                yield from ("", f"## {text}", "", plain(line.detail), "")
                continue
            detail = f" ({plain(line.detail)})" if line.detail else ""
            yield f"- {line.item.value}: {text}{detail}"
