"""The view-model of a session: pure functions and raw values; knows no screen."""
