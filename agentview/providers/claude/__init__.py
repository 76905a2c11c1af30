"""The logs of Claude Code: the transcript it keeps and the stream it prints."""
