"""Scores as the NLM-Chem track gives them, whether differences are real, and where the errors are."""
