"""Names of a lexicon in a text, and what they mean for each word piece."""
