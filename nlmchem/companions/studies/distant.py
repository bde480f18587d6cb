"""Distant supervision: the names of MeSH in unlabelled articles as labels (Mintz et al. 2009, ACL, section 3).

A name that nearly always is a chemical becomes a mention. A name that may be one (common words, short names, names that
annotators marked in some articles) or that is another substance (proteins, roles) becomes a mention of the type
`MASKED`: training counts neither its pieces as chemical nor as outside. A short form that the article defines has the
label of its long form. All other text counts as outside, so names that MeSH lacks are wrong labels.
"""

from __future__ import annotations

from bioc import BioCDocument

from corpora.model.chemical import CHEMICAL
from corpora.model.document import add_mention, annotator, fresh_ids, mentions
from corpora.model.passages import passage_text
from nlmchem.abbreviations import define
from nlmchem.tagging.gazetteer.classes import CHEMICAL as SURE
from nlmchem.tagging.gazetteer.classes import DOUBTFUL, Gazetteer
from nlmchem.tagging.lexicon_tagger import NO_SHORT_FORMS, ShortForms, part_of_longer_name
from nlmchem.tagging.training.data import MASKED, set_distant
from sieves.lexicon.keys import plain


def distantly_labelled(document: BioCDocument, gazetteer: Gazetteer) -> int:
    """Replace the annotations of an article by the names of the gazetteer. Returns the number of chemical mentions.

    `gazetteer` should be strict, because punctuation is no part of a mention. The labels are marked as those of the
    gazetteer (`set_distant`).
    """
    sentences = (sentence for passage in document.passages for sentence in passage.sentences)
    for holder in (document, *document.passages, *sentences):
        holder.annotations.clear()
        holder.relations.clear()
    defined = ((definition.short_form, definition.long_form) for definition in define(document).definitions)
    short_forms = ShortForms(defined, lambda long_form: _means_chemical(gazetteer, long_form))
    ids = fresh_ids(document, "G")
    by = annotator("distant", gazetteer.version)
    number = 0
    for passage in document.passages:
        text = passage_text(passage)
        for start, end, type in _labels(plain(text), gazetteer, short_forms):
            span = (passage.offset + start, passage.offset + end)
            add_mention(passage, [span], id=next(ids), annotator=by, type=type, text=text)
            number += type == CHEMICAL
    set_distant(document)
    return number


def remove_unlabelled(document: BioCDocument) -> None:
    """Remove the passages without a chemical mention. The offsets of the others stay as they are."""
    labelled = {id(mention.passage) for mention in mentions(document)}
    document.passages = [passage for passage in document.passages if id(passage) in labelled]


def _labels(text: str, gazetteer: Gazetteer, short_forms: ShortForms) -> list[tuple[int, int, str]]:
    """Start, end and type of each label in a text in plain characters, in order, without overlaps.

    Names that annotators marked are sure only where MeSH has them as (doubtful) chemicals.
    """
    annotated = gazetteer.annotated(text)
    marked = set(annotated)
    (names,) = gazetteer.every_name([text])
    covered = bytearray(len(text))
    labels: list[tuple[int, int, str]] = []
    for start, end, value in short_forms.beside(text, names):
        covered[start:end] = b"\1" * (end - start)
        if isinstance(value, bool):  # a short form; False if it does not mean a chemical
            labels += [(start, end, CHEMICAL)] if value else []
        else:
            sure = value == SURE or (value == DOUBTFUL and (start, end) in marked)
            sure = sure and not part_of_longer_name(text, start, end)
            labels.append((start, end, CHEMICAL if sure else MASKED))
    labels += [(start, end, MASKED) for start, end in annotated if not any(covered[start:end])]
    return sorted(labels)


def _means_chemical(gazetteer: Gazetteer, long_form: str) -> bool | None:
    """Whether a long form is the name of a chemical; None if it has a chemical or masked name among other words."""
    labels = _labels(plain(long_form), gazetteer, NO_SHORT_FORMS)
    if not labels:
        return False
    return True if labels == [(0, len(long_form), CHEMICAL)] else None
