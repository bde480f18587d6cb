"""Means of studies of taggers: changed and distantly labelled articles, text-to-text models, means of weights."""
