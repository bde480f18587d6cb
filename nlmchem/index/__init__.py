"""Index terms with the names of a lexicon: suggested, explained, learnt."""
