"""Pieces of a text become the text; pieces of arguments become what is known of the call."""

from agentview.domain.events import Body, Event, Message, Reasoning, ToolInput, User
from agentview.domain.record_ref import SourceRef
from agentview.domain.tool_inputs import ShellPayload
from agentview.domain.tools import ToolCall, ToolKind, ToolState
from agentview.normalize.build import merge_call, tool_call
from agentview.timeline.rows.merge_calls import fold_run


def event(body: Body) -> Event:
    return Event(suffix="", session_id="s", source=SourceRef("log", 0, 1), body=body)


def fold(*bodies: Body) -> Body:
    head, *pieces = bodies
    return fold_run(event(head), [event(piece) for piece in pieces], merge_call)


def test_pieces_of_a_message_are_one_message() -> None:
    assert fold(Message("one "), Message("two "), Message("three")) == Message("one two three")


def test_pieces_of_a_prompt_keep_how_it_came_in() -> None:
    assert fold(User("a", via="sdk"), User("b")) == User("ab", via="sdk")


def test_a_thought_is_withheld_only_when_all_of_it_is() -> None:
    assert fold(Reasoning("", withheld=True), Reasoning("so", duration=1.0)) == Reasoning(
        "so", withheld=False, duration=1.0
    )


def test_arguments_are_known_as_far_as_they_have_come() -> None:
    call = tool_call(call_id="c", name="bash", arguments=None, spec=None)
    folded = fold(call, ToolInput('{"command": "ls'), ToolInput(" -l"))

    assert isinstance(folded, ToolCall)
    assert folded.state is ToolState.INPUT_STREAMING
    assert folded.args_json == '{"command": "ls -l'
    assert isinstance(folded.payload, ShellPayload)
    assert folded.payload.command == "ls -l"


def test_arguments_that_say_nothing_yet_are_kept_to_the_letter() -> None:
    call = tool_call(call_id="c", name="bash", arguments=None, spec=None)
    folded = fold(call, ToolInput("{"))

    assert isinstance(folded, ToolCall)
    assert (folded.kind, folded.args_json) == (ToolKind.SHELL, "{")
    assert folded.args_error is None
