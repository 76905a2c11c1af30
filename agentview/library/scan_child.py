"""The program of the child that scans for sessions."""

from agentview.library.child import run
from agentview.library.scanner import scan_sessions

if __name__ == "__main__":
    # The screen, which shows what is found, comes first.
    run(scan_sessions, nice=5)
