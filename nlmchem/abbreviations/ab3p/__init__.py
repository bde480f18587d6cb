"""The Ab3P algorithm (Sohn et al. 2008) and our additions to it: definitions in one text."""
