"""A floor over a file, in a process of its own: `python -m benchmarks.passes FILE`.

Parses every line and writes it again. Prints what it took: wall and CPU seconds.
"""

import json
import sys
import time
from pathlib import Path

import orjson

_BLOCK = 8 * 1024 * 1024


def main() -> None:
    """Run the pass."""
    began, used = time.perf_counter(), time.process_time()
    with Path(sys.argv[1]).open("rb", buffering=_BLOCK) as file:
        for line in file:
            orjson.dumps(orjson.loads(line))
    took = {"wall": time.perf_counter() - began, "cpu": time.process_time() - used}
    print(json.dumps(took))


if __name__ == "__main__":
    main()
