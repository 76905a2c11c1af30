"""The commands: a module for each, named as the person types it, with a function `run`."""
