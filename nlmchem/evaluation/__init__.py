"""Scores by the measures of the NLM-Chem track, significance of differences, and error analysis."""
