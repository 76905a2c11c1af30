"""Waiting for files to change: inotify, watchfiles, or polling where neither works."""
