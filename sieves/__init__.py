"""A mention becomes MeSH identifiers: the lexicon, and the sieves that look names up in it."""

__all__: list[str] = []
