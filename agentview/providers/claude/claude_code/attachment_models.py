"""Keys of attachments, by their type."""

from pydantic import Field

from agentview.providers.claude.shared.messages import Block
from agentview.providers.claude.shared.read_keys import CamelShape, Shape


class Origin(Shape):
    """Where a queued prompt came from."""

    kind: object = None


class BlockingError(CamelShape):
    """Why a hook refused."""

    blocking_error: object = None
    command: object = None


class AttachedFile(Shape):
    """A file's text."""

    content: object = None


class AttachedContent(Shape):
    """A file as it was attached."""

    content: object = None
    file: AttachedFile | None = None


class Diagnostic(Shape):
    """One finding of an editor."""

    message: object = None


class DiagnosedFile(Shape):
    """A file with findings."""

    uri: object = None
    diagnostics: list[Diagnostic] | None = None


class Attachment(CamelShape):
    """An attachment of any type."""

    kind: object = Field(None, alias="type")


class HookAttachment(Attachment):
    """What a hook did."""

    hook_name: object = None
    hook_event: object = None
    tool_use_id: object = Field(None, alias="toolUseID")
    content: object = None
    command: object = None
    duration_ms: object = None
    exit_code: object = None
    stdout: object = None
    stderr: object = None
    message: object = None
    blocking_error: BlockingError | None = None


class FileAttachment(Attachment):
    """A file, a directory, a selection or a memory."""

    filename: object = None
    path: object = None
    display_path: object = None
    content: AttachedContent | None = None
    snippet: object = None
    plan_file_path: object = None
    plan_content: object = None
    files: list[DiagnosedFile] | None = None


class TaskAttachment(Attachment):
    """The state of a task or of a goal."""

    task_id: object = None
    task_type: object = None
    description: object = None
    status: object = None
    delta_summary: object = None
    output_file_path: object = None
    condition: object = None
    met: object = None
    reason: object = None
    duration_ms: object = None


class ResourcePart(Shape):
    """A part of a resource."""

    text: object = None


class ResourceContent(Shape):
    """What a resource holds."""

    contents: list[ResourcePart] | None = None


class ResourceAttachment(Attachment):
    """A resource of an MCP server."""

    uri: object = None
    name: object = None
    content: ResourceContent | None = None


class DecisionAttachment(HookAttachment):
    """What a hook decided about a call."""

    decision: object = None


class LimitAttachment(Attachment):
    """The limit of turns that ended a run."""

    max_turns: object = None


class MailboxMessage(Shape):
    """What another agent of the team has written."""

    sender: object = Field(None, alias="from")
    text: object = None


class MailboxAttachment(Attachment):
    """What other agents of the team have written."""

    messages: list[MailboxMessage] | None = None


class QueuedAttachment(Attachment):
    """A prompt that was sent while the agent worked."""

    prompt: list[Block] | None = None
    command_mode: object = None
    is_meta: object = None
    origin: Origin | None = None


ATTACHMENTS: dict[str, type[Attachment]] = {
    **dict.fromkeys(
        (
            "already_read_file",
            "compact_file_reference",
            "diagnostics",
            "directory",
            "edited_image_file",
            "edited_text_file",
            "file",
            "nested_memory",
            "pdf_reference",
            "plan_file_reference",
            "selected_lines_in_diff",
            "selected_lines_in_ide",
        ),
        FileAttachment,
    ),
    "goal_status": TaskAttachment,
    "hook_permission_decision": DecisionAttachment,
    "max_turns_reached": LimitAttachment,
    "mcp_resource": ResourceAttachment,
    "queued_command": QueuedAttachment,
    "task_status": TaskAttachment,
    "teammate_mailbox": MailboxAttachment,
}
