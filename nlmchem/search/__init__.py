"""Which articles of a run are about a concept, and what a run contains: `nlmchem search`, `nlmchem summary`."""
