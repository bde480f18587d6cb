"""Safe, bounded parsers for XML and JSON from unknown sources."""
