import pytest

from agentview.domain.events import User
from agentview.timeline.view.filter.row_flags import KINDS, RowFlag
from tests.query.asked import parse_filter
from tests.timeline.view.memory import MemorySession, answer, prompt, read, shell

SESSION = MemorySession(
    [
        prompt("fix the flaky test"),
        read("src/retry.py", "def delay(): ..."),
        shell("pytest -q", "1 failed", exit_code=1),
        shell("ls src"),
        answer("the flaky test is fixed"),
    ]
)


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        ("kind:shell", [2, 3]),
        ("kind:sh", [2, 3]),
        ("-kind:shell", [0, 1, 4]),
        ("kind:you", [0]),
        ("kind:assistant", [4]),
        ("kind:read", [1]),
        ("problems", [2]),
        ("-problems kind:shell", [3]),
        ("tool:bash", [2, 3]),
        ("file:src/", [1]),
        ("flaky", [0, 4]),
        ("Flaky", []),
        ('"flaky test is"', [4]),
        ("flaky -fixed", [0]),
        ("src kind:shell", [3]),
        ("nonsense:shell", []),
        ("kind: flaky", [0, 4]),
        ("state:error", [2]),
        ("state:err", [2]),
        ("state:ok", [1, 3]),
        ("-state:error kind:shell", [3]),
        ("-state:ok", [0, 2, 4]),
        ("state:running", []),
        ("regex:/fl.ky/", [0, 4]),
        ("flak*", [0, 4]),
        ("*laky test", [0, 4]),
        ("flaky in:prompt", [0]),
        ("in:command in:prompt src", [3]),
        ('"flaky  test"', [0, 4]),
        ("state: flaky", [0, 4]),
        ("stream:main", [0, 1, 2, 3, 4]),
        ("stream:sidechain", []),
        ("-stream:main", []),
        ("stream:a1", []),
        ("after:2025-11-21T04:40:02Z", [2, 3, 4]),
        ("before:2025-11-21T04:40:02Z", [0, 1]),
        ("-after:2025-11-21T04:40:02Z", [0, 1]),
        ("after:2025-11-21T04:40:01Z before:2025-11-21T04:40:03Z", [1, 2]),
        ("after:5m", []),
        ("before:5m kind:shell", [2, 3]),
    ],
)
def test_a_line_leaves_in(line: str, rows: list[int]) -> None:
    wanted = parse_filter(line)
    assert wanted is not None
    assert [row for row in range(SESSION.end) if wanted.passes(SESSION, row)] == rows


@pytest.mark.parametrize(
    ("line", "rows"),
    [("gateway", [1]), ("kind:you gateway", []), ("in:prompt gateway", []), ("kind:you login", [1]),
     ("kind:you -gateway", [0, 1])],
)  # fmt: skip
def test_what_a_client_put_around_a_prompt_is_not_said_by_the_person(line: str, rows: list[int]):
    wrapped = User("fix the login", context=("Sender: gateway",))
    session = MemorySession([prompt("begin"), wrapped])
    wanted = parse_filter(line)
    assert wanted is not None
    assert [row for row in range(session.end) if wanted.passes(session, row)] == rows


@pytest.mark.parametrize("line", ["", "   ", '""', "kind:", "-tool:"])
def test_an_empty_line_is_no_filter(line: str) -> None:
    assert parse_filter(line) is None


def test_only_content_terms_need_the_rows_decoded() -> None:
    by_tool, by_word = parse_filter("kind:shell problems"), parse_filter("kind:shell ls")
    assert by_tool is not None
    assert by_word is not None
    assert not by_tool.content_tests
    assert by_word.content_tests


@pytest.mark.parametrize(
    "line", ["kind:shell", "-kind:shell", "problems", "-problems kind:sh", "flaky"]
)
def test_all_rows_at_once_are_told_as_each_by_itself(line: str) -> None:
    wanted = parse_filter(line)
    assert wanted is not None
    kinds = bytes(KINDS.index(SESSION.kind(row)) for row in range(SESSION.end))
    flags = bytes(RowFlag.PROBLEM if SESSION.problem(row) else 0 for row in range(SESSION.end))
    each = bytes(255 if wanted.passes_row(SESSION, row) else 0 for row in range(SESSION.end))
    assert wanted.mask(kinds, flags) == each
