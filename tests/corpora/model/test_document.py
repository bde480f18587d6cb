"""The typed view: values that are written are read back. The offset invariant."""

from __future__ import annotations

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCNode, BioCPassage, BioCRelation, BioCSentence
from hypothesis import given
from hypothesis import strategies as st

from corpora.errors import ArticleError
from corpora.model import document as view
from corpora.model import invariant, metadata, passages
from corpora.model.document import Definition, Evidence, IndexTerm, add_definition


def passage(text: str, offset: int = 0, **infons: str) -> BioCPassage:
    made = BioCPassage()
    made.text, made.offset, made.infons = text, offset, dict(infons)
    return made


def sentence(text: str, offset: int) -> BioCSentence:
    made = BioCSentence()
    made.text, made.offset = text, offset
    return made


def document(*passages: BioCPassage, id: str = "7") -> BioCDocument:
    made = BioCDocument()
    made.id, made.passages = id, list(passages)
    return made


def annotation(id: str, text: str, *places: tuple[int, int], **infons: str) -> BioCAnnotation:
    made = BioCAnnotation()
    made.id, made.text, made.infons = id, text, dict(infons)
    made.locations = [BioCLocation(*place) for place in places]
    return made


# -- mentions -----------------------------------------------------------------------------------


def test_a_written_mention_is_read_back() -> None:
    article = document(passage("Dopamine and β-alanine", 10))
    mention = view.add_mention(article.passages[0], [(23, 32)], id="C1", annotator="nlmchem:lexicon@1", score=0.98765)
    view.set_identifiers(mention, ["MESH:D015091"], Evidence("exact", 0.5, "beta-Alanine"))
    (found,) = view.mentions(article)
    assert (found.text, found.type, found.spans) == ("β-alanine", "Chemical", ((23, 32),))
    assert found.identifiers == ("MESH:D015091",)
    assert found.evidence == Evidence("exact", 0.5, "beta-Alanine")
    assert found.annotator == "nlmchem:lexicon@1"
    assert invariant.check(article) == []


def test_the_pieces_of_a_mention_are_joined_by_one_blank() -> None:
    article = document(passage("α- and β-carotene"))
    mention = view.add_mention(article.passages[0], [(0, 2), (9, 17)], id="C1", annotator="a")
    assert mention.text == "α- carotene"
    assert invariant.check(article) == []


@pytest.mark.parametrize("spans", [[], [(3, 3)], [(0, 99)], [(-1, 2)], [(4, 2)], [(0, 4), (90, 95)]])
def test_a_mention_without_text_in_its_passage_is_refused(spans: list[tuple[int, int]]) -> None:
    with pytest.raises(ArticleError, match="no text at"):
        view.add_mention(passage("zinc"), spans, id="C1", annotator="a")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("MESH:D1,MESH:D2", ("MESH:D1", "MESH:D2")),
        (" MESH:D1 , MESH:D2 ", ("MESH:D1", "MESH:D2")),
        ("-", ()),
        ("", ()),
        (None, ()),
    ],
)
def test_identifiers_of_an_infon(written: str | None, read: tuple[str, ...]) -> None:
    article = document(passage("zinc"))
    article.passages[0].add_annotation(annotation("1", "zinc", (0, 4), type="Chemical"))
    article.passages[0].annotations[0].infons["identifier"] = written
    assert next(view.mentions(article)).identifiers == read


def test_no_concept_is_written_as_a_dash_and_can_be_removed() -> None:
    article = document(passage("zinc"))
    mention = view.add_mention(article.passages[0], [(0, 4)], id="C1", annotator="a", score=0.9)
    view.set_identifiers(mention, [], Evidence(sieve="exact"))
    assert mention.annotation.infons["identifier"] == "-"
    view.clear_identifiers(mention)
    assert mention.annotation.infons == {"type": "Chemical", "annotator": "a", "score": "0.9000"}


def test_mentions_of_sentences_are_read_and_mentions_without_location_are_not() -> None:
    article = document(passage("zinc and iron"))
    article.passages[0].sentences = [sentence("zinc and iron", 0)]
    article.passages[0].sentences[0].annotations = [annotation("1", "iron", (9, 4), type="Chemical")]
    article.passages[0].annotations = [annotation("2", "zinc", type="Chemical"), annotation("3", "zinc", (0, 4))]
    assert [mention.annotation.id for mention in view.mentions(article)] == ["1"]
    assert [mention.annotation.id for mention in view.mentions(article, None)] == ["3", "1"]


def test_only_mentions_of_one_type_are_removed() -> None:
    article = document(passage("zinc and iron"))
    article.passages[0].annotations = [
        annotation("1", "zinc", (0, 4), type="Chemical"),
        annotation("2", "iron", (9, 4), type="Gene"),
        annotation("3", "", type="Chemical"),
    ]
    assert view.remove_mentions(article) == 1
    assert [a.id for a, _ in view.every_annotation(article)] == ["2", "3"]


def test_fresh_ids_are_not_used_anywhere_in_the_document() -> None:
    article = document(passage("zinc"))
    article.passages[0].annotations = [annotation("C1", "zinc", (0, 4))]
    article.annotations = [annotation("C3", "zinc", (0, 4))]
    relation = BioCRelation()
    relation.id = "C2"
    article.passages[0].relations = [relation]
    ids = view.fresh_ids(article, "C")
    assert [next(ids), next(ids)] == ["C4", "C5"]


# -- definitions, index terms, ids --------------------------------------------------------------


def test_a_written_definition_is_read_back() -> None:
    article = document(passage("glutathione (GSH)", 5))
    definition = Definition("GSH", "glutathione", (18, 21), (5, 16), "initials", 0.75)
    add_definition(article.passages[0], definition, view.fresh_ids(article, "A"))
    assert list(view.definitions(article)) == [definition]
    assert list(view.mentions(article)) == []
    assert invariant.check(article) == []


def test_a_relation_refers_to_the_nearest_annotations() -> None:
    article = document(passage("glutathione (GSH)"), passage("dopamine (DA)", 18))
    for part, (short, long) in zip(article.passages, [("GSH", "glutathione"), ("DA", "dopamine")], strict=True):
        at = part.offset
        part.annotations = [
            annotation("1", long, (at, len(long)), type="ABBR", ABBR="LongForm"),
            annotation("2", short, (at + len(long) + 2, len(short)), type="ABBR", ABBR="ShortForm"),
        ]
        relation = BioCRelation()
        relation.infons = {"type": "ABBR"}
        relation.nodes = [BioCNode("1", "LongForm"), BioCNode("2", "ShortForm")]
        part.relations = [relation]
    assert [(d.short_form, d.long_form) for d in view.definitions(article)] == [
        ("GSH", "glutathione"),
        ("DA", "dopamine"),
    ]


def test_index_terms_are_in_the_first_passage_without_location() -> None:
    article = document(passage("zinc"), passage("iron", 5))
    terms = [IndexTerm("MESH:D015032", "Zinc", 0.5), IndexTerm("MESH:D007501")]
    for term in terms:
        view.add_index_term(article, term)
    assert [a.id for a in article.passages[0].annotations] == ["MIC1", "MIC2"]
    assert not any(a.locations for a in article.passages[0].annotations)
    assert list(view.index_terms(article)) == terms
    assert invariant.check(article) == []
    assert view.remove_index_terms(article) == 2
    with pytest.raises(ArticleError, match="no passage"):
        view.add_index_term(document(), terms[0])


@pytest.mark.parametrize(
    ("of_document", "of_passage", "key"),
    [
        ({"article-id_pmc": "PMC12"}, {"article-id_pmc": "99"}, "12"),
        ({}, {"article-id_pmc": "12", "article-id_pmid": "5"}, "12"),
        ({}, {"article-id_pmid": "5"}, "5"),
        ({"article-id_pmc": ""}, {}, "7"),
        ({}, {}, "7"),
    ],
)
def test_articles_are_joined_by_pmcid_else_pmid_else_id(
    of_document: dict[str, str], of_passage: dict[str, str], key: str
) -> None:
    article = document(passage("zinc", **of_passage))
    article.infons = of_document
    assert metadata.join_key(article) == key


def test_the_section_type_is_the_stated_one() -> None:
    assert passages.section_type(passage("", section_type="methods")) == "METHODS"
    assert passages.section_type(passage("")) is None


# -- the invariant ------------------------------------------------------------------------------


def test_offsets_count_code_points() -> None:
    article = document(passage("𝛼-Fe\u0301 and zinc", 3))
    article.passages[0].annotations = [annotation("1", "zinc", (3 + 10, 4))]
    assert invariant.check(article) == []


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (annotation("1", "iron", (9, 5)), "'iron', but the text at its location is 'iron '"),
        (annotation("1", "zinc", (5, 4)), "'zinc', but the text at its location is 'and '"),
        (annotation("1", "", (5, 0)), "location at offset 5 is empty"),
        (annotation("1", "zinc", (98, 4)), "is outside its passage (0..14)"),
        (annotation("1", "c and", (-3, 5)), "is outside its passage"),
    ],
)
def test_a_violation_names_document_passage_and_annotation(wrong: BioCAnnotation, reason: str) -> None:
    article = document(passage("zinc and iron "))
    article.passages[0].annotations = [wrong]
    (violation,) = invariant.check(article)
    assert str(violation).startswith("document '7', passage at offset 0, annotation '1': ")
    assert reason in str(violation)


def test_a_new_violation_is_an_error_and_one_of_the_input_is_not() -> None:
    article = document(passage("zinc and iron"))
    article.passages[0].annotations = [annotation("1", "iron", (0, 4))]
    known = invariant.check(article)
    invariant.require_invariant(article, known)
    article.passages[0].annotations.append(annotation("2", "iron", (0, 4)))
    with pytest.raises(ArticleError, match=r"annotation '2'.*error in nlmchem"):
        invariant.require_invariant(article, known)


def test_the_text_of_a_passage_can_come_from_its_sentences() -> None:
    part = passage("", 10)
    part.sentences = [sentence("Zinc.", 10), sentence("Iron.", 17)]
    assert passages.passage_text(part) == "Zinc.  Iron."
    part.annotations = [annotation("1", "Iron", (17, 4))]
    article = document(part)
    article.annotations = [annotation("2", "Zinc", (10, 4))]
    assert invariant.check(article) == []
    part.sentences[1].offset = 12
    with pytest.raises(ArticleError, match="sentences overlap at offset 12 of the passage at offset 10"):
        passages.passage_text(part)
    assert "sentences overlap" in str(invariant.check(article)[0])


def test_annotations_of_the_document_can_be_in_any_passage_or_several() -> None:
    article = document(passage("zinc"), passage("iron", 5))
    article.annotations = [annotation("1", "iron", (5, 4)), annotation("2", "zinc iron", (0, 4), (5, 4))]
    assert invariant.check(article) == []
    article.annotations.append(annotation("3", "gold", (5, 4)))
    (violation,) = invariant.check(article)
    assert str(violation).startswith("document '7', document level, annotation '3'")


def test_overlapping_passages_are_reported() -> None:
    assert invariant.overlapping_passages(document(passage("zinc"), passage("iron", 4))) == []
    (messages,) = invariant.overlapping_passages(document(passage("zinc"), passage("iron", 3)))
    assert "document '7'" in messages
    assert "offset 3" in messages


@given(
    st.lists(st.tuples(st.integers(0, 30), st.text("ab", max_size=8)), max_size=8),
    st.lists(st.tuples(st.integers(0, 35), st.integers(0, 4), st.text("ab", max_size=4)), max_size=6),
)
def test_annotations_of_the_document_are_checked_in_every_passage(
    passages: list[tuple[int, str]], annotations: list[tuple[int, int, str]]
) -> None:
    document = BioCDocument()
    document.id = "1"
    for offset, text in passages:
        passage = BioCPassage()
        passage.offset, passage.text = offset, text
        document.add_passage(passage)
    wrong = []
    for number, (start, length, text) in enumerate(annotations):
        annotation = BioCAnnotation()
        annotation.id, annotation.text = f"T{number}", text
        annotation.add_location(BioCLocation(start, length))
        document.add_annotation(annotation)
        if not length or not any(
            offset <= start and own[start - offset :][:length] == text and len(text) == length
            for offset, own in passages
        ):
            wrong.append(annotation.id)
    assert [violation.annotation for violation in invariant.check(document)] == wrong


@pytest.mark.parametrize("score", ["nan", "inf", float("nan"), 10**400])
def test_a_score_that_is_not_a_finite_number_is_unknown(score: object) -> None:
    document = BioCDocument()
    document.add_passage(BioCPassage())
    view.add_index_term(document, IndexTerm("MESH:D014867"))
    document.passages[0].annotations[0].infons["score"] = score
    assert [term.score for term in view.index_terms(document)] == [None]
