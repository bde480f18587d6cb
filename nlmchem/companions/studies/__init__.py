"""Means of studies of taggers: changed and distantly labelled articles, means of weights."""
