"""Annotated articles as pages: text with marked mentions, concepts, index terms, gold standard beside prediction."""
