"""Results of an evaluation as pages, files and charts: scores, errors, curves, agreement of runs."""
