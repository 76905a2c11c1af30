"""The filter and the search of a timeline: rows by their flags, by a query, in slices of time."""
