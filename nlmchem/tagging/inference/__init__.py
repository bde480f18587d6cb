"""Model output to mentions: scores of word pieces, decoding, votes of several models."""
