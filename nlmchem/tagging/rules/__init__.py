"""Post-processing rules that change the spans of a model."""
