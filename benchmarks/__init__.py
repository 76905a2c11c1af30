"""What `make bench` runs: every figure is measured next to its floor in the same run."""
