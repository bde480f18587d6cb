"""Rewrites names: removes parts, reorders words, splits lists. Text in, texts out."""
