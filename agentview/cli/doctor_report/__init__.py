"""Report of `agentview doctor` on this machine; every part is one module."""
