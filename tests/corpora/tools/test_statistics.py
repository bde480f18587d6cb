from __future__ import annotations

from bioc import BioCDocument

from corpora.datasets.articles import article
from corpora.model.document import add_mention, mentions, set_identifiers
from corpora.tools.statistics import IdentifierCheck, check_identifiers


def with_ids(*identifiers: str) -> BioCDocument:
    document = article("1", [("A title", "TITLE", "title")])
    mention = add_mention(document.passages[0], [(0, 1)], id="0", annotator="gold")
    set_identifiers(mention, identifiers)
    return document


def test_ids_are_checked_against_a_lexicon_and_replaced() -> None:
    document = with_ids("MESH:C056507", "MESH:D015032", "MESH:D999999")
    check = IdentifierCheck()
    known = {"MESH:D015032", "MESH:D000093542", "MESH:C056507"}.__contains__
    check_identifiers(document, known, {"MESH:C056507": "MESH:D000093542"}, check, rewrite=True)
    [mention] = mentions(document)
    assert mention.identifiers == ("MESH:D000093542", "MESH:D015032", "MESH:D999999")
    replaced, unknown = check.sentences()
    assert replaced == (
        "1 of its ids (1 distinct) have been replaced, such as MESH:C056507 by MESH:D000093542 (1 time)"
    )
    assert unknown.startswith("1 of its ids (1 distinct) are not in the lexicon, such as MESH:D999999 (1 time)")


def test_without_rewrite_the_ids_are_not_changed() -> None:
    document = with_ids("MESH:C056507")
    check_identifiers(document, lambda identifier: False, {"MESH:C056507": "MESH:D1"}, IdentifierCheck())
    assert next(mentions(document)).identifiers == ("MESH:C056507",)


def test_a_corpus_with_known_ids_has_no_messages() -> None:
    check = IdentifierCheck()
    check_identifiers(with_ids("MESH:D1"), lambda identifier: True, {}, check)
    assert (check.known, check.sentences()) == (1, [])
