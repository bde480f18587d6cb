"""Sieves: each file holds one way to look a mention up in the lexicon."""
