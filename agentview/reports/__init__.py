"""Whatever leaves the program: exports, differences, who wrote a line."""
