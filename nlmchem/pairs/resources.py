"""Opens what the evidence needs beside the lexicon: a dictionary of short forms, and an encoder of terms."""

from __future__ import annotations

from pathlib import Path

from nlmchem.abbreviations.senses.inventory import read_inventory
from nlmchem.abbreviations.senses.resolver import DEFAULT, DICTIONARY
from nlmchem.pairs.evidence import Evidences
from sieves.lexicon.lexicon import Lexicon

__all__ = ["EMBEDDED", "OFF", "open_evidences"]

EMBEDDED = "default"
"""The name of the dictionary that comes with the package."""
OFF = "off"
"""The name of the dictionary and of the encoder that are none."""


def open_evidences(lexicon: Lexicon, dictionary: str | Path = EMBEDDED, encoder: str = OFF) -> Evidences:
    """The evidence with these resources.

    `dictionary`: `default`, a file in one of the formats of `read_inventory`, or `off`. `encoder`: `default`, the
    folder of a tagger, or `off`. Raises `ResourceError` for a dictionary or an encoder that cannot be opened.
    """
    senses = None
    if str(dictionary) != OFF:
        senses = read_inventory(DEFAULT / DICTIONARY if str(dictionary) == EMBEDDED else Path(dictionary))
    if encoder == OFF:
        return Evidences(lexicon, senses)
    from nlmchem.tagging.models.term_vectors import TermVectors

    return Evidences(lexicon, senses, TermVectors(encoder))
