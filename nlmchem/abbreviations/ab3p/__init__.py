"""The Ab3P algorithm (Sohn et al. 2008) with more layouts and alignments: definitions in one text."""
