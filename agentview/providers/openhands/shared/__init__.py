"""What both generations of OpenHands have in common: how they count tokens."""
