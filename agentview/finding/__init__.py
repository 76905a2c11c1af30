"""Finds texts and places in a log of any size, whether its rows are known yet or not."""
