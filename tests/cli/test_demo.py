"""How a sample is played: in the order and pace of its records, with this moment's time."""

import json
import threading
import time
from pathlib import Path

from agentview.cli.commands.demo import Step, gaps, play, read_steps, write_step
from agentview.providers import load_provider
from tests.claude_log import SESSION, ClaudeLog, conversation, write

PROVIDER = load_provider("claude_code")


def sample(folder: Path) -> Path:
    path = write(folder / "demo.jsonl", conversation(ClaudeLog(), 3))
    agent = conversation(ClaudeLog(agent="a1"), 1)
    agent = [record.replace(b"T10:00:0", b"T10:00:05.") for record in agent]
    agent = [record.replace(b".000Z", b"00Z") for record in agent]
    write(folder / "demo" / "subagents" / "agent-a1.jsonl", agent)
    write(folder / "demo" / "subagents" / "agent-a1.meta.json", [b'{"agentType": "x"}'])
    return path


def test_records_of_all_logs_come_in_the_order_of_their_times(tmp_path: Path):
    steps = read_steps(PROVIDER, sample(tmp_path))
    times = [step.time for step in steps if step.time is not None]
    assert len(times) == 16
    assert times == sorted(times)
    names = [step.path.name for step in steps]
    assert names.index("agent-a1.meta.json") + 1 == names.index("agent-a1.jsonl")
    assert names.index("agent-a1.jsonl") > names.index("demo.jsonl")
    assert names[-1] == "demo.jsonl"


def test_gaps_add_up_to_the_time_that_it_takes(tmp_path: Path):
    steps = read_steps(PROVIDER, sample(tmp_path))
    waits = gaps(steps, 40.0)
    assert abs(sum(waits) - 40.0) < 1e-6
    assert min(waits) >= 0.0
    assert gaps([], 40.0) == []


def test_a_long_pause_does_not_take_all_of_it():
    path = Path("demo.jsonl")
    waits = gaps([Step(path, b"", moment) for moment in (1.0, 2.0, 100_000.0, 100_001.0)], 10.0)
    assert waits[2] < 10.0
    assert waits[1] == waits[3] > 0.1


def test_a_record_gets_the_time_at_which_it_is_written(tmp_path: Path):
    (step, *_) = read_steps(PROVIDER, sample(tmp_path / "from"))
    before = time.time()
    write_step(tmp_path / "to", step)
    record = json.loads((tmp_path / "to" / "demo.jsonl").read_bytes())
    assert record["timestamp"] >= time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(before))
    recorded = json.loads(step.record)
    assert {**record, "timestamp": ""} == {**recorded, "timestamp": ""}


def test_it_plays_everything_and_stops_when_told(tmp_path: Path):
    steps = read_steps(PROVIDER, sample(tmp_path / "from"))
    play(tmp_path / "all", steps, 0.0, threading.Event())
    lines = (tmp_path / "all" / "demo.jsonl").read_bytes().splitlines()
    assert len(lines) == 12
    assert {json.loads(line)["sessionId"] for line in lines} == {SESSION}
    assert (tmp_path / "all" / "demo" / "subagents" / "agent-a1.jsonl").stat().st_size
    ended = threading.Event()
    ended.set()
    play(tmp_path / "none", steps, 1000.0, ended)
    assert not (tmp_path / "none").exists()
