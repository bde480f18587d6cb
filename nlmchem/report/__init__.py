"""HTML pages of articles and evaluations, charts, and files of ensembles' curves and agreement."""
