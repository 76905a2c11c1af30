"""The tabs of the detail screen as rows of text."""

from msgspec.structs import replace

from agentview.domain.activity import Activity
from agentview.domain.content import TextBlock
from agentview.domain.events import Event
from agentview.domain.record_ref import SourceRef
from agentview.ui.screens.detail import result_body
from tests.timeline.view.memory import shell
from tests.ui.render.looks import texts, wide

WORDS = "command failed because the directory of the project is not writable for this user"


def _rows(error: str, output: str) -> list[str]:
    call = replace(
        shell("make", exit_code=1), error=error, output=(TextBlock(output),), result=None
    )
    event = Event("0", "s", SourceRef("/log", 0, 1, 1), call, time=0.0)
    return texts(result_body(Activity(call, (event,), 0.0, 1.0), wide(40), 0))


def test_an_error_is_shown_once_and_its_words_are_whole() -> None:
    for error, output in ((WORDS, WORDS), (WORDS, f"Error: {WORDS}\n"), (WORDS, "")):
        rows = _rows(error, output)
        assert " ".join(rows).count("because") == 1
        assert all(word in " ".join(rows).split() for word in WORDS.split())


def test_output_beside_an_error_is_kept() -> None:
    assert " ".join(_rows("exit code 2", "no rule to make it")) == "exit code 2 no rule to make it"
