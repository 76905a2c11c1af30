"""The search for sessions on this machine, once and while they change, and the counts of each."""
