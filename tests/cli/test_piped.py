"""A session through a pipe, in a real terminal: it grows, is passed on, and is summed up."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from agentview.system.paths import sample_sessions_dir
from tests.cli.conftest import CommandLine
from tests.cli.pseudo_terminal import PseudoTerminal

STREAMS = sample_sessions_dir() / "claude_stream"
DEMO = STREAMS / "demo.jsonl"
SUMMARY = "8 calls · 1 problem · 102k tokens in, 1.1k out · $0.07 · took 14s"


def pipeline(agentview: CommandLine, text: str, *, columns: int = 100) -> PseudoTerminal:
    """A shell in a terminal that runs a pipeline in which AGENTVIEW is the command."""
    command = shlex.join(agentview.command())
    script = text.replace("AGENTVIEW", command)
    return PseudoTerminal(
        ["bash", "-c", script], agentview.environment, agentview.cwd, columns=columns
    )


@pytest.mark.slow
def test_a_printed_stream_is_shown_and_summed_up(agentview: CommandLine):
    with pipeline(agentview, f"cat {DEMO} | AGENTVIEW tail -") as screen:
        screen.wait_for("All 11 tests pass.")
        screen.press("q")
        assert screen.wait() == 0
        assert f"1 turn · {SUMMARY}" in screen.text


@pytest.mark.slow
def test_text_and_arguments_grow_and_are_replaced(agentview: CommandLine, tmp_path: Path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    lines = DEMO.read_bytes().splitlines(keepends=True)
    text = next(at for at, line in enumerate(lines) if b"text_delta" in line)
    call = next(at for at, line in enumerate(lines) if b'"name":"Grep","input":{}' in line)
    with pipeline(agentview, f"AGENTVIEW tail - < {fifo}") as screen:
        out = os.open(fifo, os.O_WRONLY)
        os.write(out, b"".join(lines[: text + 1]))
        screen.wait_for(lambda shown: "I look for where t" in shown and "otals are" not in shown)
        os.write(out, lines[text + 1])
        screen.wait_for("I look for where totals are made")
        os.write(out, b"".join(lines[text + 2 : call + 2]))
        screen.wait_for("Grep")
        assert "basket.py" not in screen.text
        os.write(out, b"".join(lines[call + 2 : call + 9]))
        screen.wait_for("in src")
        assert screen.text.count("I look for where totals") == 1
        assert screen.text.count("Grep") == 1
        os.close(out)
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.slow
def test_what_goes_through_is_passed_on_byte_for_byte(agentview: CommandLine, tmp_path: Path):
    # What is no log, not even text, is passed on too.
    data = DEMO.read_bytes() + b"\x00\xff not a record\r\nno newline at the end"
    source, copy = tmp_path / "in", tmp_path / "out"
    source.write_bytes(data)
    with pipeline(agentview, f"cat {source} | AGENTVIEW tail - --tee | cat > {copy}") as screen:
        screen.wait_for("All 11 tests pass.")
        screen.press("q")
        assert screen.wait() == 0
        assert "calls" in screen.text
    assert copy.read_bytes() == data


@pytest.mark.slow
def test_leaving_the_screen_does_not_cut_off_who_reads(agentview: CommandLine, tmp_path: Path):
    copy, go_on = tmp_path / "out", tmp_path / "go-on"
    writer = f"(cat {DEMO}; until [ -e {go_on} ]; do sleep 0.05; done; seq 100000)"
    with pipeline(agentview, f"{writer} | AGENTVIEW tail - --tee | cat > {copy}") as screen:
        screen.wait_for("All 11 tests pass.")
        screen.press("q")
        screen.wait_for("Passing on what is still to come")
        go_on.touch()
        assert screen.wait() == 0
    numbers = "".join(f"{number}\n" for number in range(1, 100_001)).encode()
    assert copy.read_bytes() == DEMO.read_bytes() + numbers


@pytest.mark.slow
def test_a_reader_that_has_gone_leaves_the_screen_alone(agentview: CommandLine, tmp_path: Path):
    source = tmp_path / "in"
    source.write_bytes(DEMO.read_bytes() * 3)
    with pipeline(agentview, f"cat {source} | AGENTVIEW tail - --tee | head -c 10") as screen:
        screen.wait_for("All 11 tests pass.")
        screen.press("q")
        assert screen.wait() == 0


@pytest.mark.slow
def test_errors_in_a_file_do_not_take_the_screen_along(agentview: CommandLine, tmp_path: Path):
    copy, errors = tmp_path / "out", tmp_path / "errors"
    text = f"cat {DEMO} | AGENTVIEW tail - --tee 2> {errors} | cat > {copy}"
    with pipeline(agentview, text) as screen:
        screen.wait_for("All 11 tests pass.")
        screen.press("q")
        assert screen.wait() == 0
    assert errors.read_bytes() == b""
    assert copy.read_bytes() == DEMO.read_bytes()


def test_without_somewhere_to_pass_it_on_to_a_sentence_says_so(agentview: CommandLine):
    with pipeline(agentview, f"cat {DEMO} | AGENTVIEW tail - --tee") as screen:
        assert screen.wait() == 2
        assert "standard output, which is this terminal" in screen.text.replace("\n", " ")


def test_only_a_pipe_can_be_passed_on(agentview: CommandLine):
    assert "--tee passes a piped input on" in agentview.fails(2, "tail", str(DEMO), "--tee")


@pytest.mark.parametrize("option", [[], ["--tee"]])
def test_without_a_terminal_a_sentence_says_so(agentview: CommandLine, option: list[str]):
    done = subprocess.run(
        agentview.command("tail", "-", *option),
        input=DEMO.read_bytes(),
        capture_output=True,
        env=agentview.environment,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 2
    assert b"terminal" in done.stderr
    assert done.stdout == b""


@pytest.mark.slow
def test_a_writer_is_not_waited_for_by_the_keys(agentview: CommandLine, tmp_path: Path):
    fifo = tmp_path / "slow"
    os.mkfifo(fifo)
    holder = os.open(fifo, os.O_RDWR)
    source = tmp_path / "in"
    source.write_bytes(DEMO.read_bytes() * 20)
    try:
        with pipeline(agentview, f"cat {source} | AGENTVIEW tail - --tee > {fifo}") as screen:
            screen.wait_for("All 11 tests pass.")
            screen.press("?")
            screen.wait_for("Toggle following")
            reader = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.DEVNULL)
            screen.press("q")
            screen.press("q")
            assert screen.wait() == 0
            os.close(holder)
            holder = -1
            assert reader.wait(10) == 0
    finally:
        if holder >= 0:
            os.close(holder)
