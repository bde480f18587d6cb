"""The stage writes index terms and treats existing ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bioc import BioCDocument

from corpora.errors import ArticleError, ConfigurationError
from corpora.formats.biocxml import dumps
from corpora.model.chemical import INDEX_TERM
from corpora.model.document import IndexTerm, add_index_term, index_terms
from indexing.terms.indexer import ChosenTerm, IndexStage, TermExplanation

ZINC, COPPER, RUTIN = "MESH:D015032", "MESH:D003300", "MESH:D012431"


class Chooser:
    """Chooses the same two concepts of every article that has a passage."""

    name, version = "chooser", "1"

    def __call__(self, document: BioCDocument) -> list[ChosenTerm]:
        choices = [ChosenTerm(ZINC, 0.98765, "Zinc"), ChosenTerm(COPPER, 0.5, "Copper")]
        return choices if document.passages else []

    def explain(self, document: BioCDocument) -> TermExplanation:
        raise NotImplementedError


def test_choices_become_annotations_of_the_first_passage(zinc_paper: BioCDocument) -> None:
    IndexStage(Chooser())([zinc_paper])
    added = [a for a in zinc_paper.passages[0].annotations if a.infons["type"] == INDEX_TERM]
    assert [(a.id, a.infons["identifier"], a.infons["entry_term"], a.infons["score"]) for a in added] == [
        ("MIC1", ZINC, "Zinc", "0.9877"),
        ("MIC2", COPPER, "Copper", "0.5000"),
    ]
    assert all(not annotation.locations for annotation in added)
    assert not any(a.infons["type"] == INDEX_TERM for p in zinc_paper.passages[1:] for a in p.annotations)


def test_the_rest_of_the_article_is_unchanged(zinc_paper: BioCDocument, article: Callable[..., BioCDocument]) -> None:
    silent: list[str] = []
    before = dumps(zinc_paper, silent.append)
    IndexStage(Chooser())([zinc_paper])
    assert dumps(zinc_paper, silent.append) != before
    first = zinc_paper.passages[0]
    first.annotations[:] = [a for a in first.annotations if a.infons["type"] != INDEX_TERM]
    assert dumps(zinc_paper, silent.append) == before


def test_an_article_without_passages_gets_no_terms(article: Callable[..., BioCDocument]) -> None:
    empty = article([])
    IndexStage(Chooser())([empty])
    assert list(index_terms(empty)) == []


def terms(document: BioCDocument) -> list[str]:
    return [term.identifier for term in index_terms(document)]


def test_existing_terms_are_kept_and_not_repeated(zinc_paper: BioCDocument) -> None:
    add_index_term(zinc_paper, IndexTerm(COPPER, "Cu"))
    add_index_term(zinc_paper, IndexTerm(RUTIN))
    IndexStage(Chooser(), "keep")([zinc_paper])
    assert terms(zinc_paper) == [COPPER, RUTIN, ZINC]
    assert next(index_terms(zinc_paper)).entry_term == "Cu"


def test_existing_terms_are_replaced(zinc_paper: BioCDocument) -> None:
    add_index_term(zinc_paper, IndexTerm(RUTIN))
    IndexStage(Chooser(), "replace")([zinc_paper])
    assert terms(zinc_paper) == [ZINC, COPPER]
    IndexStage(Chooser(), "replace")([zinc_paper])
    assert terms(zinc_paper) == [ZINC, COPPER]


def test_existing_terms_are_refused(zinc_paper: BioCDocument, article: Callable[..., BioCDocument]) -> None:
    add_index_term(zinc_paper, IndexTerm(RUTIN))
    with pytest.raises(ArticleError) as caught:
        IndexStage(Chooser(), "error")([zinc_paper])
    assert 'use existing="keep"' in str(caught.value)
    fresh = article([("TITLE", "zinc")])
    IndexStage(Chooser(), "error")([fresh])
    assert terms(fresh) == [ZINC, COPPER]


def test_an_unknown_value_of_existing_is_refused() -> None:
    with pytest.raises(ConfigurationError):
        IndexStage(Chooser(), "drop")
