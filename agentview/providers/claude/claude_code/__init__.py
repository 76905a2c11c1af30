"""Claude Code: the transcripts that its command line, desktop and SDK clients write."""

from collections.abc import Sequence
from pathlib import Path

from agentview.domain.background import BackgroundSession, WorkflowPhase
from agentview.domain.session import SessionRef
from agentview.providers._kit.discovery import named_late
from agentview.providers._kit.resume_command import resume_with
from agentview.providers.base import KeptPrompts, Provider, Reading, RecordTypeKeys
from agentview.providers.claude.claude_code.discovery import DISCOVERY
from agentview.providers.claude.claude_code.hooks import HOOK_REPORTS
from agentview.providers.claude.claude_code.live_registry import LIVE_REGISTRY
from agentview.providers.claude.claude_code.retention import retention


def _reading() -> Reading:
    from agentview.providers._kit.reading import make_reading
    from agentview.providers.claude.claude_code.decode import LINES, decode
    from agentview.providers.claude.claude_code.metadata_records import record_keys
    from agentview.providers.claude.shared.tools import SPECS

    return make_reading(decode, lines=LINES, tools=SPECS, record_keys=record_keys)


def _workflow_phases(ref: SessionRef, run: str) -> Sequence[WorkflowPhase]:
    from agentview.providers.claude.claude_code.background import workflow_phases

    return workflow_phases(ref, run)


def _background_sessions(ref: SessionRef) -> Sequence[BackgroundSession]:
    from agentview.providers.claude.claude_code.background import background_sessions

    return background_sessions(ref)


def _kept_prompts(root: Path) -> Sequence[KeptPrompts]:
    from agentview.providers.claude.claude_code.prompt_history import kept_prompts

    return kept_prompts(root)


PROVIDER = Provider(
    name=DISCOVERY.name,
    label="Claude Code",
    agent="claude",
    protocol="claude",
    discovery=DISCOVERY,
    load_reading=_reading,
    has_vendor_response_ids=True,
    records=("usage", "cost", "images", "reasoning", "subagents", "rewinds", "compaction"),
    resume_command=resume_with(
        "claude",
        "--resume",
        forks={
            ".openclaude": ("openclaude", "--resume"),
            **dict.fromkeys((".qoder", ".qoderwork", ".qoder-cn", "local-agent-mode-sessions"), ()),
        },
    ),
    record_type_keys=RecordTypeKeys(types=("type", "subtype", "attachment/type", "data/type")),
    refresh_ref=named_late(DISCOVERY.ref),
    live_registry=LIVE_REGISTRY,
    hook_reports=HOOK_REPORTS,
    retention=retention,
    kept_prompts=_kept_prompts,
    workflow_phases=_workflow_phases,
    background_sessions=_background_sessions,
    programs=("claude",),
)
