"""From the output of models to spans: scores of word pieces, decoding, votes of several models."""
