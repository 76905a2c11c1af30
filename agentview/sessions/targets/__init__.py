"""Which session a TARGET means, and which sessions there are on this machine."""
