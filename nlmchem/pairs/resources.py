"""Opens what the evidence needs beside the lexicon: a dictionary of acronyms, and an encoder of terms."""

from __future__ import annotations

from pathlib import Path

from corpora.datasets.acronyms import read_dictionary
from corpora.errors import ResourceError
from nlmchem.pairs.evidence import Evidences
from sieves.lexicon.lexicon import Lexicon

__all__ = ["OFF", "open_evidences"]

OFF = "off"
"""The name of the encoder that is none."""


def open_evidences(lexicon: Lexicon, dictionary: Path | None = None, encoder: str = OFF) -> Evidences:
    """The evidence with these resources. `encoder`: `default`, the folder of a tagger, or `off`.

    Raises `ResourceError` for a dictionary or an encoder that cannot be opened, `InputError` for a broken dictionary.
    """
    senses = None
    if dictionary is not None:
        try:
            senses = read_dictionary(dictionary.read_text("utf-8"), dictionary)
        except (OSError, UnicodeDecodeError) as error:
            raise ResourceError(
                f"cannot read a dictionary of acronyms at {dictionary} ({error}); make one with "
                "`nlmchem corpora dictionary`, or leave --dictionary out"
            ) from error
    if encoder == OFF:
        return Evidences(lexicon, senses)
    from nlmchem.tagging.inference.term_vectors import TermVectors

    return Evidences(lexicon, senses, TermVectors(encoder))
