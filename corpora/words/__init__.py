"""What many rooms need of words: counts of English words, stop words, folding, singular and plural."""
