"""Annotations of other tools, such as the lists of language models: aligned with articles, and verified."""
