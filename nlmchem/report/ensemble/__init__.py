"""Votes and the agreement of runs: commands, texts, files and charts."""
