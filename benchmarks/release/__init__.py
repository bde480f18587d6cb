"""Checks before a release."""
