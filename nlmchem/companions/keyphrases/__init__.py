"""Keyphrases: the phrases of an article that state what it is about, ranked by a learnt model."""
