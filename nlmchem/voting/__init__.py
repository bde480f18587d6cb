"""The commands of ensembles and silver corpora: votes, the agreement of runs, their texts, files and charts."""
