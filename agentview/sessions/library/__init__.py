"""Sessions of this machine: found, distinguished, filtered."""
