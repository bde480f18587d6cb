"""What training must know of the labels of an article: text that does not count, and labels of the gazetteer."""

from __future__ import annotations

from bioc import BioCDocument

from corpora.model.document import Mention, mentions

MASKED = "Masked"
"""The type of annotations whose text the loss of a training does not count. Any training corpus can have them."""
_INFON = "labels"
_DISTANT = "distant"


def masked(document: BioCDocument) -> list[Mention]:
    """The places of an article that the loss does not count."""
    return list(mentions(document, MASKED))


def set_distant(document: BioCDocument) -> None:
    """Write that the labels of an article are names of the gazetteer: the infon `labels` with the value `distant`.

    Training then hides the gazetteer from the model, which otherwise would learn to copy it.
    """
    document.infons[_INFON] = _DISTANT


def is_distant(document: BioCDocument) -> bool:
    """Whether the labels of an article are names of the gazetteer."""
    source: object = document.infons.get(_INFON)
    return source == _DISTANT
