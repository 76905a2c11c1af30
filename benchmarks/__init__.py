"""What `make bench` runs: every figure is measured beside its floor in the same run."""
