"""What sessions used: tokens, money and time, counted once and split by what they went to."""
