"""Sieves with a lookup method of their own: edit distance and laboratory shorthand."""
