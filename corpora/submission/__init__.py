"""Challenge submission files of the NLM-Chem track, and the check that a scorer accepts them."""
