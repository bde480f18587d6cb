"""Many runs become one: votes over spans, identifiers and index terms; silver-standard corpora."""

__all__: list[str] = []

TASKS = ("spans", "identifiers", "indexing")
OVERLAPS = ("merge", "best")
"""How to treat overlapping spans: merge them into one, or keep the best."""
MISSING = ("error", "abstain")
"""How to treat a document that some runs do not have: as an error, or by a vote of the runs that have it."""
