"""Keys of `toolUseResult`, of all tools together: the record does not name its tool."""

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agentview.providers.claude.shared.read_keys import CamelShape, Shape


class Hunk(CamelShape):
    """One hunk of `structuredPatch`."""

    old_start: object = None
    old_lines: object = None
    new_start: object = None
    new_lines: object = None
    lines: object = None


class ChangedFile(CamelShape):
    """A file that a command changed."""

    file_path: object = None
    hunks: list[Hunk] | None = None
    created: object = None
    deleted: object = None


class ChangedFiles(CamelShape):
    """What the client saw a command change."""

    files: list[ChangedFile] | None = None
    changed_files: object = None
    shared: object = None


class Cell(CamelShape):
    """One cell of a notebook that was read."""

    cell_type: object = None
    cell_id: object = Field(None, alias="cell_id")
    language: object = None
    source: object = None
    outputs: object = None


class Dimensions(CamelShape):
    """Size of an image."""

    original_width: object = None
    original_height: object = None


class File(CamelShape):
    """A file that was read."""

    content: object = None
    base64: object = None
    kind: object = Field(None, alias="type")
    cells: list[Cell] | None = None
    dimensions: Dimensions | None = None
    num_lines: object = None
    original_size: object = None
    start_line: object = None
    total_lines: object = None
    output_dir: object = None


class Todo(CamelShape):
    """One item of a todo list."""

    content: object = None
    status: object = None
    active_form: object = None
    id: object = None
    priority: object = None


class Task(CamelShape):
    """A task of a list (TaskGet, TaskList) or in the background (TaskOutput)."""

    id: object = None
    subject: object = None
    description: object = None
    status: object = None
    blocks: object = None
    blocked_by: object = None
    owner: object = None
    task_id: object = Field(None, alias="task_id")
    output: object = None
    result: object = None
    exit_code: object = None
    error: object = None


class StatusChange(Shape):
    """How the status of a task changed."""

    before: object = Field(None, alias="from")
    after: object = Field(None, alias="to")


class Hit(Shape):
    """One page of a web search."""

    title: object = None
    url: object = None


class Hits(Shape):
    """The pages of one search."""

    content: list[Hit] | None = None


class Said(Shape):
    """One block of what an agent answered, or the whole content of a file as text."""

    text: object = None


class StructuredResult(CamelShape):
    """Everything that any tool's result is read for."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)

    agent_id: object = None
    answers: object = None
    applied_limit: object = None
    background_task_id: object = None
    bytes: object = None
    code: object = None
    code_text: object = None
    content: list[Said] | None = None
    duration_ms: object = None
    duration_seconds: object = None
    edit_mode: object = Field(None, alias="edit_mode")
    error: object = None
    exit_code: object = None
    file: File | None = None
    file_path: object = None
    filenames: object = None
    interrupted: object = None
    is_error: object = Field(None, alias="is_error")
    is_image: object = None
    message: object = None
    mode: object = None
    new_source: object = Field(None, alias="new_source")
    new_todos: list[Todo] | None = None
    notebook_path: object = Field(None, alias="notebook_path")
    num_files: object = None
    num_lines: object = None
    num_matches: object = None
    old_source: object = Field(None, alias="old_source")
    old_todos: list[Todo] | None = None
    original_file: object = None
    original_file_snake: object = Field(None, alias="original_file")
    original_file_contents: object = None
    pages: object = None
    persisted_output_path: object = None
    persisted_output_size: object = None
    bash_edit_diff: ChangedFiles | None = None
    plan: object = None
    resolved_model: object = None
    result: object = None
    results: list[Hits] | None = None
    return_code_interpretation: object = None
    run_id: object = None
    shell_id: object = None
    shell_id_snake: object = Field(None, alias="shell_id")
    status: object = None
    status_change: StatusChange | None = None
    stderr: object = None
    stdout: object = None
    structured_patch: list[Hunk] | None = None
    success: object = None
    summary: object = None
    task: Task | None = None
    task_id: object = None
    task_id_snake: object = Field(None, alias="task_id")
    tasks: list[Task] | None = None
    timed_out_after_ms: object = None
    total_duration_ms: object = None
    total_files: object = None
    total_lines: object = None
    total_matches: object = None
    total_tokens: object = None
    total_tool_use_count: object = None
    truncated: object = None
    kind: object = Field(None, alias="type")
    updated_file: object = Field(None, alias="updated_file")
    url: object = None
    user_modified: object = None
