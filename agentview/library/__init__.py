"""Sessions of this machine: found, told apart, filtered."""
