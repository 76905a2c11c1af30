"""One widget per tool kind."""
