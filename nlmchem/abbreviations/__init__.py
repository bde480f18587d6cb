"""Abbreviations: finds the definitions in an article, and returns what a short form means at each place.

from nlmchem.abbreviations import Expander, define, detect

detect("Free fatty acids (FFAs) rose.")            # a string: a list of corpora.model.document.Definition
glossary = define(document)                        # a bioc.BioCDocument: all meanings
Expander(glossary).expand("FFA-rich oil").text     # 'free fatty acid-rich oil'
"""

from __future__ import annotations

from nlmchem.abbreviations.ab3p.detector import detect
from nlmchem.abbreviations.article.expansion import Expander, Expansion, Piece
from nlmchem.abbreviations.article.glossary import Glossary, Sense
from nlmchem.abbreviations.article.stage import AbbreviationStage, annotate, define, glossary_of

__all__ = [
    "AbbreviationStage",
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
