"""The pipeline: what is written becomes rows in a store, as it comes."""
