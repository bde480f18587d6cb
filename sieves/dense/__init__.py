"""The dense fallback: the nearest name by cosine similarity of vectors."""
