"""The lexicon: names and the concepts that they stand for; building, storing and searching it."""
