"""Many runs become one: votes over spans, identifiers and index terms; silver-standard corpora."""

__all__: list[str] = []
