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


def workflow_logs(folder: Path, *, run: str | None, session: str = SESSION) -> Path:
    """A session whose workflow has three agents; its result names the `run` or does not."""
    log = ClaudeLog(session)
    structured = None if run is None else {"status": "async_launched", "runId": run}
    records = [
        log.prompt("Review it"),
        log.call("w1", "Workflow", script="export const meta = {\n  name: 'review',\n}\n"),
        log.result("w1", "Workflow launched in background. Task ID: t1", structured),
    ]
    path = write(folder / f"{session}.jsonl", records)
    place = path.with_suffix("") / "subagents" / "workflows" / "wf_1"
    for number in range(3):
        agent = ClaudeLog(session, agent=f"a{number}")
        done = [agent.prompt(f"Check part {number}"), agent.text("It is sound.")]
        write(place / f"agent-a{number}.jsonl", done)
    (place / "agent-a0.meta.json").write_text('{"label": "map:loader"}')
    started = '{"type": "started", "agentId": "a1", "label": "map:writer", "phase": "Map"}\n'
    (place / "journal.jsonl").write_text(started)
    return path
