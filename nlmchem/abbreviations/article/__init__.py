"""Abbreviations of a whole article: lists, glossary, occurrences, expansion of mentions."""
