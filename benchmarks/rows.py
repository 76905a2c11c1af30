"""The rows of the table: what each says, and the group that measures it."""

from benchmarks.figures import Group

ROWS = {
    1: "first frame, new process",
    2: "first frame of a document",
    3: "first frame, code and log not in the page cache",
    4: "list of 20,000 sessions, first rows",
    5: "worst page in the first 5 s",
    6: "page never seen, at rest, p99",
    7: "line and page seen, p50",
    8: "bytes to the terminal",
    9: "all counted, first time, CPU a record",
    10: "all counted again",
    11: "memory of all processes, at most",
    12: "first hit in 200 MB",
    13: "following",
    14: "memory for each followed record",
    15: "at rest with a live session open",
    16: "stats of a home",
    17: "search in 2,000 logs",
    18: "ls of 20,000 sessions",
    19: "a home listed, counted and searchable, a log",
    20: "cat, titles, 200 MB",
    21: "cat, full, 200 MB",
    22: "events",
    23: "masking, all rules",
    24: "export of 20 MB",
    25: "diff and blame, 200 MB, facts kept",
}


def row(number: int) -> Group:
    """A row without figures yet."""
    return Group(ROWS[number], number=number)
