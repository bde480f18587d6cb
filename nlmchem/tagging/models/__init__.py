"""Folders of models: the embedded one, reading and checking them, weights, the forward pass."""
