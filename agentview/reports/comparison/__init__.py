"""Where two sessions differ, for the command and for the screen."""
