"""A program that appends records as an agent does: in steps that cut lines and characters."""

import json
import os
import sys
import time
from pathlib import Path

STEP = 4096


def record(number: int) -> bytes:
    """Make the record of a number; its size and text vary, and most of it is not ASCII."""
    text = "é日本語✅" * (number * 37 % 400)
    return json.dumps({"n": number, "text": text}, ensure_ascii=False).encode()


def records(count: int) -> list[bytes]:
    return [record(number) for number in range(count)]


def main(path: str, count: int, pause: float) -> None:
    content = b"".join(line + b"\n" for line in records(count))
    fd = os.open(Path(path), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for start in range(0, len(content), STEP):
        os.write(fd, content[start : start + STEP])
        time.sleep(pause)
    os.close(fd)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
