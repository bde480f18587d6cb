"""Abbreviations: who defines what, where, and what a short form means in its article.

from nlmchem.abbreviations import Expander, define, detect

detect("Free fatty acids (FFAs) rose.")            # of a string: a list of corpora.document.Definition
glossary = define(document)                        # of a bioc.BioCDocument: what holds where
Expander(glossary).expand("FFA-rich oil").text     # 'free fatty acid-rich oil'
"""

from __future__ import annotations

from nlmchem.abbreviations.additions import ALL, NONE, Addition
from nlmchem.abbreviations.article import AbbreviationStage, annotate, define, glossary_of
from nlmchem.abbreviations.detector import detect
from nlmchem.abbreviations.expansion import Expander, Expansion, Piece
from nlmchem.abbreviations.glossary import Glossary, Sense

__all__ = [
    "ALL",
    "NONE",
    "AbbreviationStage",
    "Addition",
    "Expander",
    "Expansion",
    "Glossary",
    "Piece",
    "Sense",
    "annotate",
    "define",
    "detect",
    "glossary_of",
]
