"""Singular and plural of noun phrases."""

from __future__ import annotations

from corpora.words.inflection import plural, singular


def test_singular_and_plural() -> None:
    for one, many in [
        ("acid", "acids"),
        ("assay", "assays"),
        ("body", "bodies"),
        ("box", "boxes"),
        ("analysis", "analyses"),
        ("unit of blood", "units of blood"),
        ("mitochondrion", "mitochondria"),
    ]:
        assert plural(one) == many
        assert singular(many) == one
    assert singular("virus") == "virus"
    assert plural("acids") == "acids"
