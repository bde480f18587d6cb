"""The lexicon tagger: it marks the names of a lexicon."""
