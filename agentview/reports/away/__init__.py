"""What sessions did while their person was away, for the command and for the screen."""
