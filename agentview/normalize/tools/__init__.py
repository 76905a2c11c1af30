"""Arguments and results of tools that many agents have in common: a module for each kind."""
