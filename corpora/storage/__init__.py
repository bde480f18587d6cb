"""Files on disk: inputs, members of archives, atomic writing, temporary records, the cache."""
