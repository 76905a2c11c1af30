"""Where the reader is: the cursor, the viewport, which rows are shown and how high they are."""
