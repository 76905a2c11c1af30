"""Files and processes of this program, and what differs between machines."""
