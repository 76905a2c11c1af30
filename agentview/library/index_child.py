"""The program of the child that indexes sessions, when nobody else needs the processor."""

from agentview.library.child import run
from agentview.library.indexer import index_sessions

if __name__ == "__main__":
    run(index_sessions, nice=19)
