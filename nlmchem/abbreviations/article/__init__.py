"""Abbreviations of a whole article: lists, the glossary, occurrences, and long forms of mentions."""
