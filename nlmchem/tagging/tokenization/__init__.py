"""From text to the input of models: sentences, tokens, word pieces, windows, batches."""
