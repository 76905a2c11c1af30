"""The part of `platforms` for Windows, with stand-ins of what it calls, each in a fresh process."""

import os
import subprocess
import sys
import tty
from pathlib import Path

from tests.architecture.sources import ROOT
from tests.patience import PATIENCE

_START = """
import asyncio, os, subprocess, sys
from tests.system.like_windows import disguise; disguise()
from agentview.system import platforms as p
"""


def _command(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", f"{_START}{code}", *map(str, arguments)]


def _said(code: str, *arguments: object, path: Path = ROOT) -> list[str]:
    done = subprocess.run(
        _command(code, *arguments),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(path)},
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_bytes_at_a_place_are_read_and_written_without_moving_on(tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(b"0123456789")
    code = """
fd = os.open(sys.argv[1], os.O_RDWR)
os.lseek(fd, 3, os.SEEK_SET)
print(p.read_at(fd, 4, 5), p.write_at(fd, b"ab", 8), p.read_at(fd, 9, 20), os.read(fd, 2))
"""
    assert _said(code, file) == ["b'5678' 2 b'' b'34'"]
    assert file.read_bytes() == b"01234567ab"


def test_a_lock_keeps_others_out_until_its_file_is_closed(tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(b"content")
    other = """
fd = os.open(sys.argv[1], os.O_RDWR)
print(p.read_at(fd, 7, 0), flush=True)
try:
    p.lock(fd, wait=sys.argv[2] == "wait")
    print("locked")
except BlockingIOError:
    print("refused")
"""
    code = """
fd = os.open(sys.argv[1], os.O_RDWR)
p.lock(fd)
print("locked", flush=True)
input()
os.close(fd)
"""
    holder = subprocess.Popen(
        _command(code, file), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    assert _said(other, file, "not") == ["b'content'", "refused"]
    waiting = subprocess.Popen(
        _command(other, file, "wait"), stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert waiting.stdout is not None
    assert waiting.stdout.readline() == "b'content'\n"
    assert waiting.poll() is None
    holder.communicate("\n", timeout=PATIENCE)
    assert waiting.communicate(timeout=PATIENCE)[0] == "locked\n"


def test_pipes_and_processes_are_looked_at_and_left_alone():
    code = """
near, far = os.pipe()
print(p.readable(near), p.readable(near, 0.05), p.has_ended(near))
os.write(far, b"x")
print(p.readable(near, None), p.has_ended(near), os.read(near, 5))
os.close(far)
asyncio.run(p.wait_readable(near))
print(p.readable(near, None), p.has_ended(near))
pipe = subprocess.PIPE
child = p.loop_popen()([sys.executable, "-c", "input()"], stdin=pipe)
print(p.is_there(child.pid), child.poll())
child.communicate(b"\\n")
print(p.is_there(child.pid), child.returncode, p.user_id(), p.can_be_continued())
"""
    assert _said(code) == [
        "False False False",
        "True False b'x'",
        "True True",
        "True None",
        "False 0 0 False",
    ]


def test_a_worker_answers_through_its_pipes(tmp_path: Path):
    handlers = tmp_path / "handlers.py"
    handlers.write_text("def echo(connection): connection.send(connection.receive())")
    code = """
from agentview.system.workers.process import messages_of, worker_process
async def main():
    async with worker_process("handlers:echo") as worker:
        await worker.send("a question")
        async for message in worker.messages():
            print(message)
            return
asyncio.run(main())
for message in messages_of("handlers:echo", "another", lambda: False):
    print(message)
    break
"""
    assert _said(code, path=tmp_path) == ["a question", "another"]


def test_keys_of_a_console_come_one_at_a_time():
    near, far = os.openpty()
    code = """
async def main():
    typed = asyncio.Queue()
    keys = p.TerminalKeys(0, typed.put_nowait)
    keys.start()
    print("ready", flush=True)
    print(*[repr(await typed.get()) for _ in range(3)], flush=True)
    keys.by_line()
    print("line", flush=True)
    print(repr(await typed.get()))
    keys.stop()
asyncio.run(main())
"""
    tty.setcbreak(far)
    program = subprocess.Popen(
        _command(code), stdin=far, stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert program.stdout is not None
    assert program.stdout.readline() == "ready\n"
    os.write(near, b"j\x00Hq")
    assert program.stdout.readline() == "'j' '\\x1b[A' 'q'\n"
    assert program.stdout.readline() == "line\n"
    os.write(near, b"some words\n")
    assert program.communicate(timeout=PATIENCE)[0] == "'some words\\n'\n"
    os.close(near)
    os.close(far)


def test_a_nameless_file_is_gone_with_its_descriptor(tmp_path: Path):
    code = """
fd = p.open_nameless(sys.argv[1])
print(os.write(fd, b"abc"), p.read_at(fd, 3, 0), p.free_bytes(".") > 0)
p.close_to_others(fd)
os.close(fd)
print(os.path.exists(sys.argv[1]))
"""
    assert _said(code, tmp_path / "page") == ["3 b'abc' True", "False"]


def test_paths_of_copies_have_the_drive_in_front():
    code = r"""
for path in (r"C:\Users\a b\log.jsonl", "d:/logs/x", r"\\server\share\x"):
    print(p.below_root(path), p.from_root(p.below_root(path)), sep="  ")
print(*p.command_words(r'"C:\Program Files\vim.exe" -u x'), sep="  ")
"""
    assert _said(code) == [
        r"C/Users/a b/log.jsonl  C:\Users\a b\log.jsonl",
        r"d/logs/x  d:\logs\x",
        r"server/share/x  \\server\share\x",
        r"C:\Program Files\vim.exe  -u  x",
    ]
