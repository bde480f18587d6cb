"""Tagging: finds the chemical mentions in a text."""
