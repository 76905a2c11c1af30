"""OpenCode and its forks, which keep sessions in the same tables."""
