"""Pi and the programs that keep sessions in its form."""
