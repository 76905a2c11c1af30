"""Outcomes of calls, by the names that all logs of Cursor have for them.

The names are those of the format. What is only passed on is `object`.
"""

from msgspec import Struct

Number = int | float | str | None


class Range(Struct, gc=False, rename="camel"):
    """The lines of a file that were read."""

    start_line: Number = None


class Saved(Struct, gc=False, rename="camel"):
    """The file with an output that was too long."""

    file_path: str | None = None
    path: str | None = None


class Line(Struct, gc=False, rename="camel"):
    """A line that matches, or one next to it."""

    line_number: Number = None
    content: str | None = None
    is_context_line: bool | None = None


class Listed(Struct, rename="camel"):
    """Matches in a root, of one form: lines, counts or names of files."""

    matches: list[object] = []
    counts: list[object] = []
    files: object = None
    total_matched_lines: Number = None
    total_matches: Number = None
    total_files: Number = None
    client_truncated: bool | None = None
    ripgrep_truncated: bool | None = None


class Root(Struct):
    """A root that was searched."""

    content: Listed | None = None
    files: Listed | None = None
    count: Listed | None = None


class Node(Struct, rename="camel"):
    """A directory or a file of a listing."""

    abs_path: str | None = None
    name: str | None = None
    path: str | None = None
    children_dirs: list[object] = []
    children_files: list[object] = []


class Said(Struct, gc=False):
    """Words of an agent."""

    text: str | None = None


class Step(Struct, gc=False, rename="camel"):
    """A step of an agent: words, or a call."""

    assistant_message: Said | None = None
    tool_call: object = None


class Answered(Struct, rename="camel"):
    """An answer to a question: options by their ids, or words."""

    question_id: str | None = None
    selected_option_ids: object = None
    freeform_text: str | None = None


class Option(Struct, gc=False):
    """An option of a question."""

    id: str | None = None
    label: str | None = None


class Question(Struct):
    """A question of a call."""

    id: str | None = None
    prompt: str | None = None
    question: str | None = None
    options: list[Option | None] = []


class Questions(Struct):
    """Arguments of a call that asks."""

    questions: list[Question | None] = []


class Outcome(Struct, rename="camel"):
    """The outcome of a call: each kind of tool has some of these keys."""

    # A file that was read.
    content: str | None = None
    text: str | None = None
    is_empty: bool | None = None
    read_range: Range | None = None
    total_lines: Number = None
    exceeded_limit: bool | None = None
    # A file that was changed.
    diff_string: str | None = None
    before_full_file_content: str | None = None
    after_full_file_content: str | None = None
    file_content_after_write: str | None = None
    prev_content: str | None = None
    # A command.
    stdout: str | None = None
    stderr: str | None = None
    interleaved_output: str | None = None
    output: str | None = None
    exit_code: Number = None
    signal: Number = None
    timed_out: bool | None = None
    is_background: bool | None = None
    shell_id: Number = None
    pid: Number = None
    output_location: Saved | None = None
    # A search or a listing.
    workspace_results: dict[str, Root | None] | None = None
    files: object = None
    total_files: Number = None
    client_truncated: bool | None = None
    ripgrep_truncated: bool | None = None
    directory_tree_root: object = None
    tree: str | None = None
    # An agent.
    conversation_steps: list[Step | None] | None = None
    agent_id: str | None = None
    duration_ms: Number = None
    result_suffix: str | None = None
    # Answers.
    answers: list[Answered | None] | None = None
