"""Output of commands: tables, titles of activities, pagers, and the abilities of a terminal."""
