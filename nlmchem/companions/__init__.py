"""What comes with nlmchem and is no part of its core: each folder is registered by entry points, as plugins are.

The core imports nothing from here. A copy without one of the folders, its tests and its lines in `pyproject.toml`
works (`benchmarks/release/without_companion.py`).
"""
