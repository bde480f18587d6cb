"""HTML pages and charts: what `view` (articles) and `evaluation` (scores, errors, ensembles) share."""
