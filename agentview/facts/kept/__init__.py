"""Facts of records that are kept on disk, so that each log is read once."""
