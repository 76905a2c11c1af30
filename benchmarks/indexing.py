"""List, count and index all logs of this user, as the library's workers do.

`python -m benchmarks.indexing` with HOME and AGENTVIEW_CACHE_DIR.
"""

import os

from agentview.sessions.library.cache_db import SessionCache
from agentview.sessions.library.scan.indexer import index_sessions
from agentview.sessions.library.scan.scanner import scan_sessions, session_roots


def main() -> None:
    """Each in turn; what they find is kept."""
    roots = session_roots(os.environ)
    with SessionCache() as catalogue:
        for _ in scan_sessions(roots, catalogue=catalogue):
            pass
    with SessionCache() as catalogue:
        for _ in index_sessions(roots, lambda: False, catalogue):
            pass


if __name__ == "__main__":
    main()
