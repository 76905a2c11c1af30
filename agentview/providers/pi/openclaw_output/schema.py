"""The document that `openclaw agent --json` prints (2026.9.6), as far as it is read."""

from msgspec import UNSET, Struct, UnsetType

from agentview.providers.pi.shared.schema import Number, Tokens


class Payload(Struct, gc=False, rename="camel"):
    """One answer."""

    text: str | None = None
    media_url: str | None = None
    media_urls: list[str | None] | None = None
    is_error: object = None


class Receipt(Struct, gc=False, rename="camel"):
    """Name of the run."""

    run_id: str | None = None


class Agent(Struct, gc=False, rename="camel"):
    """The model, and the tokens of the whole run with what it cost."""

    model: str | None = None
    usage: Tokens | None = None
    cost_usd: Number = None
    terminal_receipt: Receipt | None = None


class Report(Struct, gc=False, rename="camel"):
    """Where the agent worked, and when it began."""

    workspace_dir: str | None = None
    generated_at: Number = None


class Failure(Struct, gc=False):
    """Why the run ended."""

    message: str | None = None
    kind: str | None = None


class Calls(Struct, gc=False):
    """How many calls there were, and the names of their tools."""

    calls: Number = None
    failures: Number = None
    tools: list[str | None] | None = None


class Meta(Struct, gc=False, rename="camel"):
    """Facts of a run besides its answers."""

    agent_meta: Agent | None = None
    system_prompt_report: Report | None = None
    final_prompt_text: str | None = None
    duration_ms: Number = None
    aborted: object = None
    error: Failure | None = None
    tool_summary: Calls | None = None


class Run(Struct, gc=False, rename="camel"):
    """A run, or what a way of starting one prints around it."""

    payloads: list[Payload | None] | UnsetType | None = UNSET
    meta: Meta | None = None
    run_id: str | None = None
    result: "Run | None" = None
