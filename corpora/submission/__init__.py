"""Submission files of the NLM-Chem track, and the check that the scorer accepts them."""
