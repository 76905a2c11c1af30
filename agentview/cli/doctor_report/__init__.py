"""What `agentview doctor` finds on this machine; every part is one module."""
