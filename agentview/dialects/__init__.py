"""What several providers of one family write alike, a folder for each family."""
