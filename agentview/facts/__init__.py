"""What is known of a log without looking at it again."""
