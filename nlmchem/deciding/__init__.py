"""Decides which spans of an article are mentions of chemicals, with what the lexicon has about them."""
