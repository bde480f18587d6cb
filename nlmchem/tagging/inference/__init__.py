"""From texts to spans: what a model is, scores of word pieces, decoding."""
