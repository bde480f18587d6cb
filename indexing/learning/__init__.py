"""Learnt models: one file format, the linear model, the forest, their fitting, and cross-validation."""
