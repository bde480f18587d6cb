"""Abbreviations: finds the definitions in an article, and returns what a short form means at each place.

from nlmchem.abbreviations import Expander, define, detect

detect("Free fatty acids (FFAs) rose.")            # a string: a list of corpora.model.document.Definition
glossary = define(document)                        # a bioc.BioCDocument: all meanings
Expander(glossary).expand("FFA-rich oil").text     # 'free fatty acid-rich oil'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nlmchem.abbreviations.ab3p.detector import detect
    from nlmchem.abbreviations.glossary import Expander, Expansion, Glossary, Piece, Sense
    from nlmchem.abbreviations.stage import AbbreviationStage, annotate, define, glossary_of

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

_MODULES = {
    "AbbreviationStage": "stage", "Expander": "glossary", "Expansion": "glossary", "Glossary": "glossary",
    "Piece": "glossary", "Sense": "glossary", "annotate": "stage", "define": "stage", "detect": "ab3p.detector",
    "glossary_of": "stage",
}  # fmt: skip
"""The modules of the names. They are imported when a name is used: the help of the commands loads none of them."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
