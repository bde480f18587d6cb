"""An example of a plugin: one module for each entry of pyproject.toml."""
