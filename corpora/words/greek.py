"""Moved."""

from corpora.words.folding import FINAL_SIGMA as FINAL_SIGMA
from corpora.words.folding import MICRO as MICRO
