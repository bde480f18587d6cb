"""Distant supervision: the names of MeSH in unlabelled articles as labels (Mintz et al. 2009, ACL, section 3).

A name that nearly always is a chemical becomes a mention. A name that may be one (common words, short names, names that
annotators marked in some articles) or that is another substance (proteins, roles) becomes a mention of the type
`MASKED`: training counts neither its pieces as chemical nor as outside. All other text counts as outside, so names that
MeSH lacks are wrong labels.
"""

from __future__ import annotations

from bioc import BioCDocument

from corpora.model.document import CHEMICAL, Mention, add_mention, annotator, fresh_ids, mentions
from corpora.model.passages import passage_text
from nlmchem.tagging.gazetteer.classes import CHEMICAL as SURE
from nlmchem.tagging.gazetteer.classes import DOUBTFUL, Gazetteer
from sieves.lexicon.keys import plain

__all__ = ["MASKED", "distantly_labelled", "is_distant", "masked"]

MASKED = "Masked"
"""The type of annotations whose text the loss of a training does not count. Any training corpus can have them."""
_SOURCE = "distant"
_INFON = "labels"
_PREFIX = "G"


def distantly_labelled(document: BioCDocument, gazetteer: Gazetteer) -> int:
    """Replace the annotations of an article by the names of the gazetteer. Returns the number of chemical mentions.

    The article gets the infon `labels` with the value `distant`, by which training hides the gazetteer from the model:
    otherwise it would learn to copy it.
    """
    _clear(document)
    ids = fresh_ids(document, _PREFIX)
    by = annotator(_SOURCE, gazetteer.version)
    number = 0
    for passage in document.passages:
        text = passage_text(passage)
        for start, end, type in _labels(plain(text), gazetteer):
            span = (passage.offset + start, passage.offset + end)
            add_mention(passage, [span], id=next(ids), annotator=by, type=type, text=text)
            number += type == CHEMICAL
    document.infons[_INFON] = _SOURCE
    return number


def _clear(document: BioCDocument) -> None:
    """Remove all annotations, and the relations between them."""
    sentences = (sentence for passage in document.passages for sentence in passage.sentences)
    for holder in (document, *document.passages, *sentences):
        holder.annotations.clear()
        holder.relations.clear()


def is_distant(document: BioCDocument) -> bool:
    """Whether the labels of an article are those of `distantly_labelled`."""
    return document.infons.get(_INFON) == _SOURCE


def masked(document: BioCDocument) -> list[Mention]:
    """The places of an article that the loss does not count."""
    return list(mentions(document, MASKED))


def _labels(text: str, gazetteer: Gazetteer) -> list[tuple[int, int, str]]:
    """Start, end and type of each label in a text in plain characters, in order, without overlaps.

    Names that annotators marked are sure only where MeSH has them as (doubtful) chemicals.
    """
    annotated = gazetteer.annotated(text)
    marked = set(annotated)
    found = [
        (start, end, CHEMICAL if kind == SURE or (kind == DOUBTFUL and (start, end) in marked) else MASKED)
        for start, end, kind in gazetteer.names(text)
    ]
    covered = bytearray(len(text))
    for start, end, _ in found:
        covered[start:end] = b"\1" * (end - start)
    found += [(start, end, MASKED) for start, end in annotated if not any(covered[start:end])]
    return sorted(found)
