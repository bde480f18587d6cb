"""Tagging models on disk and in memory: labels, weights, the forward pass, the model that ships."""
