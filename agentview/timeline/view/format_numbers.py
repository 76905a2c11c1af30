"""Counts, sizes and times in few characters; what is not known is a dash, never a zero."""

import time

UNKNOWN = "–"
MINUS = "−"
_CENT = 0.01
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR


def tokens(count: int | None) -> str:
    """A count in at most five characters: `812`, `8.1k`, `120k`, `1.9M`."""
    if count is None:
        return UNKNOWN
    if count < 1_000:
        return str(count)
    for size, suffix in ((1_000, "k"), (1_000_000, "M"), (1_000_000_000, "G")):
        value = count / size
        if value < 9.95:
            return f"{value:.1f}{suffix}"
        if value < 999.5:
            return f"{value:.0f}{suffix}"
    return f"{count / 1_000_000_000_000:.0f}T"


def byte_size(count: int | None) -> str:
    """A size in bytes: `312 B`, `4.2 kB`, `110 MB`."""
    if count is None:
        return UNKNOWN
    if count < 1_000:
        return f"{count} B"
    text = tokens(count)
    return f"{text[:-1]} {text[-1]}B"


def span(seconds: float | None) -> str:
    """A stretch of time in one unit: `12s`, `4m`, `3h`, `2d`, `5w`."""
    if seconds is None:
        return UNKNOWN
    seconds = max(0.0, seconds)
    if seconds < _MINUTE:
        return f"{int(seconds)}s"
    if seconds < _HOUR:
        return f"{int(seconds // _MINUTE)}m"
    if seconds < _DAY:
        return f"{int(seconds // _HOUR)}h"
    if seconds < 14 * _DAY:
        return f"{int(seconds // _DAY)}d"
    if seconds < 365 * _DAY:
        return f"{int(seconds // (7 * _DAY))}w"
    return f"{int(seconds // (365 * _DAY))}y"


def exact_span(seconds: float) -> str:
    """A stretch of time to the second, in as many units as that takes: `5m`, `1h 30m`, `2d`."""
    left = round(max(0.0, seconds))
    parts: list[str] = []
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "m"), (1, "s")):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def duration_text(seconds: float) -> str:
    """Return a duration as short as possible: `0.2s`, `12s`, `4m05s`, `1h05m`."""
    if seconds < 9.95:
        return f"{seconds:.1f}s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


def ago(moment: float | None, now: float) -> str:
    """How long before `now` a moment was, both in epoch seconds: `now`, `4m ago`."""
    if moment is None:
        return UNKNOWN
    passed = now - moment
    return "now" if passed < 2 else f"{span(passed)} ago"


def clock_time(moment: float | None) -> str:
    """Hours and minutes of a moment in epoch seconds, where this machine is: `14:02`."""
    return UNKNOWN if moment is None else _local_time(moment, "%H:%M") or "?"


def clock_seconds(moment: float | None) -> str:
    """Time of day with seconds, where this machine is: `14:02:09`; empty where it is not known."""
    return "" if moment is None else _local_time(moment, "%H:%M:%S")


def date_time(moment: float | None) -> str:
    """Day, hours and minutes of a moment in epoch seconds, where this machine is."""
    return UNKNOWN if moment is None else _local_time(moment, "%Y-%m-%d %H:%M") or "?"


def _local_time(moment: float, form: str) -> str:
    """A moment in a form of `strftime`; empty for one that no calendar has."""
    try:
        return time.strftime(form, time.localtime(moment))
    except (OverflowError, ValueError, OSError):
        return ""


def moment(when: float, now: float) -> str:
    """A moment in epoch seconds: `14:02` within a day of `now`, else its day, `Nov 28`."""
    if abs(when - now) < _DAY:
        return clock_time(when)
    try:
        local = time.localtime(when)
    except (OverflowError, ValueError, OSError):
        return "?"
    return f"{_MONTHS[local.tm_mon - 1]} {local.tm_mday}"


def share(part: float) -> str:
    """A part of a whole, 0 to 1, in percent: `58%`, and `<1%` for what rounds to nothing."""
    return f"{part:.0%}" if part >= 0.005 or part == 0 else "<1%"


def counted(count: int, noun: str) -> str:
    """A count and its noun, with a plain plural: `1 error`, `14 edits`, `2 matches`."""
    if count == 1:
        return f"{count:,} {noun}"
    return f"{count:,} {noun}{'es' if noun.endswith(('ch', 'sh', 's', 'x')) else 's'}"


def lines_added(count: int) -> str:
    """`+1,234`; empty for none."""
    return f"+{count:,}" if count else ""


def lines_removed(count: int) -> str:
    """`−1,234`; empty for none."""
    return f"{MINUS}{count:,}" if count else ""


def lines_changed(added: int, removed: int, *, net: bool = True, whole: bool = True) -> str:
    """Numbers of added and removed lines: `+1,234 −3`; empty for none.

    `?` behind them where they are not `net`: calls are added up; `+` where not all are known.
    """
    text = " ".join(filter(None, (lines_added(added), lines_removed(removed))))
    return f"{text}{'' if net else '?'}{'' if whole else '+'}" if text else ""


def dollars(cost: float) -> str:
    """Return US dollars: `$1.93`, and below a cent with more digits, `$0.0042`."""
    return f"${cost:,.2f}" if cost >= _CENT or cost == 0 else f"${cost:.4f}"


def estimated(cost: float | None, *, whole: bool = True) -> str:
    """An estimate in US dollars: `~$1.93`, `~$1.93+` when it was at least that."""
    return UNKNOWN if cost is None else f"~{dollars(cost)}{'' if whole else '+'}"
