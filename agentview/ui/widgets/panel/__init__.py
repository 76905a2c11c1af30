"""The side panel: what a session is made of, each part on a tab of its own."""
