"""The lexicon: names and the concepts that they stand for, how it is built, stored and searched."""
