"""The scores of the README and of docs/measurements."""
