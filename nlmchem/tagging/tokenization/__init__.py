"""Text to model input: sentences, tokens, word pieces, windows, batches."""
