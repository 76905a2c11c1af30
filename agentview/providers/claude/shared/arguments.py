"""Arguments of each tool that are read; tools shown as plain JSON have none of their own here."""

from pydantic import Field

from agentview.providers.claude.shared.read_keys import CamelShape, Shape


class ReadArguments(Shape):
    """Read, and NotebookRead of 1.0.x; View and ReadNotebook of 0.2."""

    file_path: object = None
    notebook_path: object = None
    path: object = None
    offset: object = None
    limit: object = None
    pages: object = None


class WriteArguments(Shape):
    """Write; Replace of 0.2."""

    file_path: object = None
    content: object = None


class EditStep(Shape):
    """One replacement of MultiEdit."""

    old_string: object = None
    new_string: object = None
    replace_all: object = None


class EditArguments(Shape):
    """Edit, and MultiEdit of 1.0.x."""

    file_path: object = None
    old_string: object = None
    new_string: object = None
    replace_all: object = None
    edits: list[EditStep] | None = None


class NotebookArguments(Shape):
    """NotebookEdit, NotebookEditCell of 0.2; `cell_number` up to 1.0.x."""

    notebook_path: object = None
    cell_id: object = None
    cell_number: object = None
    cell_type: object = None
    edit_mode: object = None
    new_source: object = None


class ShellArguments(Shape):
    """Bash, PowerShell, Monitor, and what acts on their background tasks."""

    command: object = None
    cmd: object = None
    description: object = None
    timeout: object = None
    timeout_ms: object = None
    run_in_background: object = None
    bash_id: object = None
    shell_id: object = None
    task_id: object = None


class GrepArguments(Shape):
    """Grep; `include` up to 1.0.x."""

    pattern: object = None
    path: object = None
    glob: object = None
    include: object = None
    kind: object = Field(None, alias="type")
    output_mode: object = None
    ignore_case: object = Field(None, alias="-i")
    multiline: object = None


class GlobArguments(Shape):
    """Glob."""

    pattern: object = None
    path: object = None


class LsArguments(Shape):
    """LS, up to 1.0.5x."""

    path: object = None
    ignore: object = None


class LspArguments(CamelShape):
    """LSP."""

    operation: object = None
    file_path: object = None


class FetchArguments(Shape):
    """WebFetch."""

    url: object = None
    prompt: object = None


class SearchArguments(Shape):
    """WebSearch."""

    query: object = None
    allowed_domains: object = None
    blocked_domains: object = None


class AgentArguments(Shape):
    """Task, Agent, and the tools that speak with agents and teams."""

    description: object = None
    prompt: object = None
    subagent_type: object = None
    model: object = None
    run_in_background: object = None
    name: object = None
    team_name: object = None
    to: object = None
    recipient: object = None
    summary: object = None
    message: object = None
    content: object = None


class WorkflowArguments(CamelShape):
    """Workflow."""

    name: object = None
    script: object = None
    script_path: object = None
    args: object = None


class TodoArgument(CamelShape):
    """One item of a todo list; `id` and `priority` up to 1.0.x."""

    content: object = None
    status: object = None
    active_form: object = None
    id: object = None
    priority: object = None


class TodoArguments(Shape):
    """TodoWrite."""

    todos: list[TodoArgument] | None = None


class TaskArguments(CamelShape):
    """TaskCreate, TaskUpdate, TaskGet, TaskList."""

    subject: object = None
    description: object = None
    active_form: object = None
    task_id: object = None
    status: object = None
    owner: object = None
    add_blocks: object = None
    add_blocked_by: object = None


class PlanArguments(CamelShape):
    """EnterPlanMode, ExitPlanMode, exit_plan_mode."""

    plan: object = None
    plan_file_path: object = None


class OptionArgument(Shape):
    """One choice of a question."""

    label: object = None
    description: object = None


class QuestionArgument(CamelShape):
    """One question to the person."""

    question: object = None
    header: object = None
    options: list[OptionArgument] | None = None
    multi_select: object = None


class AskArguments(Shape):
    """AskUserQuestion."""

    questions: list[QuestionArgument] | None = None


class BrokenText(Shape):
    """The text of arguments that are no JSON."""

    raw: object = None


class BrokenArguments(Shape):
    """Arguments that the client itself could not read."""

    broken: BrokenText | None = Field(None, alias="__unparsedToolInput")


ARGUMENTS: dict[str, type[Shape]] = {
    "AgentOutputTool": ShellArguments,
    "Agent": AgentArguments,
    "AskUserQuestion": AskArguments,
    "Bash": ShellArguments,
    "BashOutput": ShellArguments,
    "Edit": EditArguments,
    "EnterPlanMode": PlanArguments,
    "ExitPlanMode": PlanArguments,
    "Glob": GlobArguments,
    "GlobTool": GlobArguments,
    "Grep": GrepArguments,
    "GrepTool": GrepArguments,
    "KillBash": ShellArguments,
    "KillShell": ShellArguments,
    "LS": LsArguments,
    "LSP": LspArguments,
    "Monitor": ShellArguments,
    "MultiEdit": EditArguments,
    "NotebookEdit": NotebookArguments,
    "NotebookEditCell": NotebookArguments,
    "NotebookRead": ReadArguments,
    "PowerShell": ShellArguments,
    "Read": ReadArguments,
    "ReadNotebook": ReadArguments,
    "Replace": WriteArguments,
    "SendMessage": AgentArguments,
    "Task": AgentArguments,
    "TaskCreate": TaskArguments,
    "TaskGet": TaskArguments,
    "TaskList": TaskArguments,
    "TaskOutput": ShellArguments,
    "TaskStop": ShellArguments,
    "TaskUpdate": TaskArguments,
    "TeamCreate": AgentArguments,
    "TeamDelete": AgentArguments,
    "TodoWrite": TodoArguments,
    "View": ReadArguments,
    "WebFetch": FetchArguments,
    "WebSearch": SearchArguments,
    "Workflow": WorkflowArguments,
    "Write": WriteArguments,
    "dispatch_agent": AgentArguments,
    "exit_plan_mode": PlanArguments,
}
"""Shape of the arguments by tool; those of other tools are shown whole."""
