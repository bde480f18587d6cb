"""Decides which spans of an article are mentions of chemicals, with what the lexicon has about them."""

KNOWLEDGE, LEARNT, DECISION_RULES = "knowledge", "learnt", "rules"
"""The names of decisions: with the knowledge of the lexicon, with the model that comes with the package
(`default.json`, whose card is `default.md`), and none: the rules of the tagger alone."""
