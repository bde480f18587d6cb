"""What a run contains: as text, tables, JSON, and a page with charts."""
