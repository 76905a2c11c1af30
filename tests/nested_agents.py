"""Logs of agents that start agents, as deep as a test asks for."""

from pathlib import Path

from tests.claude_log import SESSION, ClaudeLog, conversation, write


def nested_logs(folder: Path, depth: int) -> Path:
    """A session whose agent starts an agent and so on, `depth` of them; the path of its log."""
    inner = folder / SESSION / "subagents"
    path = folder / f"{SESSION}.jsonl"
    for level in range(depth + 1):
        name = f"a{level}" if level else None
        log = ClaudeLog(agent=name)
        records = conversation(log, 1)
        if level < depth:
            records.append(
                log.call(
                    f"task{level}",
                    "Task",
                    subagent_type=f"kind{level + 1}",
                    description=f"Go {level + 1} deep",
                    prompt=f"Deeper than {level}.",
                )
            )
            records.append(log.result(f"task{level}", f"Done at {level + 1}."))
        write(inner / f"agent-{name}.jsonl" if level else path, records)
        if level:
            meta = f'{{"agentType": "kind{level}", "toolUseId": "task{level - 1}"}}'
            (inner / f"agent-{name}.meta.json").write_text(meta)
    return path
