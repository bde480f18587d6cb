"""Files on disk: inputs as users name them, atomic writing, temporary records, the cache."""
