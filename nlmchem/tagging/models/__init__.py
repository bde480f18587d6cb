"""Tagging models: files, labels, weights, the forward pass, and the embedded model."""
