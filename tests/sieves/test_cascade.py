"""The cascade: which sieve answers, and why; the normalizer as a stage."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCLocation, BioCPassage
from small_mesh import descriptor, supplement, write_descriptors, write_supplements

from corpora.errors import ConfigurationError
from corpora.model.document import Definition, add_definition, fresh_ids, mentions
from sieves.article.continuation import continue_mention
from sieves.cascade import DEFAULT_ORDER, Cascade
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon
from sieves.lookup.shorthand import CLASS_WORDS, LAB_SHORTHAND, LabShorthand
from sieves.normalizer import Normalizer
from sieves.ordering import learned_order, tally
from sieves.sieve import Article, Candidate


@pytest.fixture
def cascade(lexicon: Lexicon) -> Cascade:
    return Cascade(lexicon)


@pytest.mark.parametrize(
    ("text", "sieve", "identifiers"),
    [
        ("linoleic acid", "exact", "D000005"),
        ("17β-estradiol", "folded", "D000019"),
        ("wax", "number", "D000018"),
        ("NaCl", "formula", "D000008"),
        ("Ca2+", "ion", "D000007"),
        ("EtOH", "shorthand", "D000002"),
        ("Ser473", "residue", "D000020"),
        ("18:2n-6", "lipid", "D000005"),
        ("[3H]dopamine", "label", "D000016 D000017"),
        ("[3H]beta hydroxytyramine", "label", "D000016 D000017"),  # a name in other punctuation
        ("dopamine hydrochloride", "salt", "D000017"),
        ("dopamine solution", "bare", "D000017"),
        ("linoleate", "stem", "D000005"),
        ("6-nitro-2-chloro-4-methylpyridine", "-", ""),
        ("4-methyl-2-chloro-6-nitropyridine", "words", "C000005"),
        ("2-methyl-4-chloro-6-nitropyridine", "-", ""),
        ("acid linoleic", "words", "D000005"),
        ("1-linoleic acid", "locants", "D000005"),
        ("Alcohol Compound", "number", "D000001"),
        ("alcohol", "shorthand", "D000002"),
        ("poly-dopamine", "-", ""),
        ("V/dopamine", "-", ""),
        ("C/N", "-", ""),
        ("vitamins A and C", "composite", "D000003 D000004"),
        ("linoleic and linolenic acids", "composite", "D000005 D000006"),
        ("NaCl/dopamine", "composite", "D000008 D000017"),
        ("DHA", "shorthand", "D000010"),
        ("Physiological Saline", "shorthand", "D000008"),  # long forms in any case
        ("alcohol derivative", "bare", "D000001"),  # of the class, not of the one compound
        ("wine", "-", ""),
        ("nobody and nothing", "-", ""),
    ],
)
def test_who_answers(cascade: Cascade, text: str, sieve: str, identifiers: str) -> None:
    found = cascade.resolve(text)
    assert (found.sieve if found else "-") == sieve
    assert (found.identifiers if found else ()) == tuple(f"MESH:{id}" for id in identifiers.split())


def test_what_the_article_defines_goes_before_everything(cascade: Cascade) -> None:
    article = Article({"NaCl": ("linoleic acid",), "LA": ("Linoleic Acids",)})
    found = cascade.resolve("NaCl", article)
    assert found == Candidate(("MESH:D000005",), "defined", "Linoleic Acid", "mesh", via="linoleic acid")
    assert cascade.resolve("LAs", article) is not None
    assert cascade.resolve("NaCl").sieve == "formula"  # type: ignore[union-attr]


def test_a_definition_of_itself_ends(cascade: Cascade) -> None:
    assert cascade.resolve("XY", Article({"XY": ("XY thing",)})) is None


def test_an_expanded_form_is_tried(cascade: Cascade) -> None:
    found = cascade.resolve("ethyl DA", Article({"DA": ("alcohol",)}))
    assert found is not None
    assert (found.sieve, found.identifiers) == ("expanded", ("MESH:D000002",))


@pytest.mark.parametrize("text", ["", " ", "·+-()", "x" * 10_000, "a, " * 3_000, "(" * 500, "and and and", "-" * 50])
def test_odd_texts_have_no_concept(cascade: Cascade, text: str) -> None:
    assert cascade.resolve(text) is None


def test_every_sieve_is_explained(cascade: Cascade) -> None:
    told = dict(cascade.explain("NaCl"))
    assert tuple(told) == DEFAULT_ORDER
    assert next(name for name, found in told.items() if found) == "formula"


@pytest.mark.parametrize("order", [("exact", "exact"), ("exact", "magic")])
def test_an_order_must_be_of_sieves_each_once(lexicon: Lexicon, order: tuple[str, ...]) -> None:
    with pytest.raises(ConfigurationError, match="no such order of sieves"):
        Cascade(lexicon, order)


def test_the_order_is_data(lexicon: Lexicon) -> None:
    assert Cascade(lexicon, ("exact",)).resolve("NaCl") is None


@pytest.mark.parametrize(("path", "fewest"), [(LAB_SHORTHAND, 100), (CLASS_WORDS, 10)])
def test_shorthand_files_are_well_formed(path: Path, fewest: int) -> None:
    assert len(LabShorthand.open(path).entries) >= fewest


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("PBS", ("phosphates", "sodium chloride")),
        ("Phosphate-Buffered Saline", ("phosphates", "sodium chloride")),
        ("fatty acid methyl esters", ("fatty acids", "esters")),
        ("DPPH ·", ("1,1-diphenyl-2-picrylhydrazyl",)),
        ("pbs", None),  # of short forms the case counts
        ("ALCOHOLS", ("alcohols",)),
    ],
)
def test_how_shorthand_may_be_written(text: str, names: tuple[str, ...] | None) -> None:
    assert LabShorthand.open().meaning(text) == names


def test_a_word_for_a_class_is_not_the_compound_of_that_name(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml", [descriptor("D000001", "Purines", "D03.633")])
    supplements = write_supplements(tmp_path / "supp2024.xml", [supplement("C000001", "purine")])
    build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "x.sqlite")
    found = Cascade(Lexicon.open(tmp_path / "x.sqlite")).resolve("Purine")
    assert found is not None
    assert (found.sieve, found.identifiers) == ("class", ("MESH:D000001",))


def test_a_list_with_a_shared_word_names_no_combination(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml")
    combination = supplement("C000001", "linoleic acid, linolenic acid drug combination")
    supplements = write_supplements(tmp_path / "supp2024.xml", [combination])
    build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "x.sqlite")
    cascade = Cascade(Lexicon.open(tmp_path / "x.sqlite"))
    wanted = {"linoleic acid/linolenic acid": 1, "linoleic and linolenic acid": 2}
    assert {text: len(cascade.resolve(text).identifiers) for text in wanted} == wanted  # type: ignore[union-attr]


# -- what is remembered -------------------------------------------------------------------------


def test_nothing_is_asked_of_the_lexicon_twice(lexicon: Lexicon, monkeypatch: pytest.MonkeyPatch) -> None:
    cascade = Cascade(lexicon)
    texts = ["linoleic acid", "wine and dopamine", "dopamine solution", "nothing"]
    first = [cascade.resolve(text) for text in texts]
    monkeypatch.setattr(Lexicon, "_ask", lambda *_: pytest.fail("asked again"))
    assert [cascade.resolve(text) for text in texts] == first


@pytest.mark.parametrize("texts", [("dopamine solution", "dopamine"), ("dopamine", "dopamine solution")])
def test_a_part_and_a_whole_of_the_same_text_are_told_apart(lexicon: Lexicon, texts: tuple[str, str]) -> None:
    cascade = Cascade(lexicon)
    told = {text: cascade.resolve(text) for text in texts}
    assert {text: found.sieve for text, found in told.items() if found} == {
        "dopamine": "exact",
        "dopamine solution": "bare",
    }


# -- the article --------------------------------------------------------------------------------

KNOWN = {
    "docosahexaenoic acid": Candidate(("MESH:D1",), "exact", "x"),
    "sodium chloride": Candidate(("MESH:D2",), "exact", "y"),
    "silver chloride": Candidate(("MESH:D3",), "exact", "z"),
    "C18:0 ceramide": Candidate(("MESH:D4",), "exact", "c"),
}


@pytest.mark.parametrize(
    ("text", "identifier"),
    [
        ("docosahexanoic acid", "MESH:D1"),  # misspelt
        ("DHA", None),  # letters within words: three parts, two words
        ("SOC", "MESH:D2"),  # first letters, and one behind
        ("SC", None),  # two of the article's names have these letters
        ("C16:0 ceramide", None),  # another chain is no misspelling
        ("wine", None),
    ],
)
def test_a_mention_that_fails_alone_takes_what_the_article_names(text: str, identifier: str | None) -> None:
    found = continue_mention(text, KNOWN)
    assert (found.identifiers[0] if found else None) == identifier
    assert found is None or found.sieve == "article"


def document_of(*texts: str, define: tuple[str, str] | None = None) -> BioCDocument:
    passage = BioCPassage()
    passage.offset, passage.text = 0, " ".join(texts)
    at = 0
    for number, text in enumerate(texts):
        annotation = BioCAnnotation()
        annotation.id, annotation.text, annotation.infons = str(number), text, {"type": "Chemical"}
        annotation.add_location(BioCLocation(at, len(text)))
        passage.add_annotation(annotation)
        at += len(text) + 1
    document = BioCDocument()
    document.id = "d"
    document.add_passage(passage)
    if define:
        short, long = (passage.text.index(text) for text in define)
        spans = (short, short + len(define[0])), (long, long + len(define[1]))
        add_definition(passage, Definition(*define, *spans), fresh_ids(document, "A"))
    return document


def infons(document: BioCDocument) -> list[dict[str, str]]:
    return [dict(mention.annotation.infons) for mention in mentions(document)]


def test_the_stage_writes_concepts_and_reasons(lexicon: Lexicon) -> None:
    document = document_of("Ethanol", "wine", "vitamins A and C")
    Normalizer(lexicon)([document])
    assert infons(document) == [
        {"type": "Chemical", "identifier": "MESH:D000002", "sieve": "exact", "matched_name": "Ethanol"},
        {"type": "Chemical", "identifier": "-"},
        {
            "type": "Chemical",
            "identifier": "MESH:D000003,MESH:D000004",
            "sieve": "composite",
            "matched_name": "Vitamin A | Vitamin C",
        },
    ]


def test_a_mention_of_only_punctuation_gets_no_concept(lexicon: Lexicon) -> None:
    document = document_of("·+-()", "Ethanol")
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["-", "MESH:D000002"]


def test_an_empty_mention_gets_no_concept(lexicon: Lexicon) -> None:
    document = document_of("Ethanol", "")
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["MESH:D000002", "-"]


def test_the_stage_reads_the_documents_definitions(lexicon: Lexicon) -> None:
    document = document_of("linoleic acid", "XQ", define=("XQ", "linoleic acid"))
    Normalizer(lexicon)([document])
    assert [found["identifier"] for found in infons(document)] == ["MESH:D000005"] * 2


def test_one_article_teaches_another_nothing(lexicon: Lexicon) -> None:
    first, second = document_of("linoleic acid", "XQ", define=("XQ", "linoleic acid")), document_of("XQ")
    Normalizer(lexicon)([first, second])
    assert infons(second) == [{"type": "Chemical", "identifier": "-"}]


def test_a_mention_with_an_identifier_is_left(lexicon: Lexicon) -> None:
    document = document_of("Ethanol")
    next(mentions(document)).annotation.infons["identifier"] = "MESH:D999999"
    Normalizer(lexicon)([document])
    assert infons(document) == [{"type": "Chemical", "identifier": "MESH:D999999"}]


def test_a_score_stays_the_taggers(lexicon: Lexicon) -> None:
    document = document_of("docosahexaenoic acid", "docosahexanoic acid")
    for mention in mentions(document):
        mention.annotation.infons["score"] = "0.4000"
    Normalizer(lexicon)([document])
    assert [found["score"] for found in infons(document)] == ["0.4000", "0.4000"]


def test_the_order_of_articles_changes_nothing(lexicon: Lexicon) -> None:
    texts = ["NaCl", "linoleic acid", "XQ", "wine", "Ca2+", "docosahexanoic acid", "docosahexaenoic acid"]
    forward, backward = document_of(*texts), document_of(*texts)
    Normalizer(lexicon)([document_of("wine"), forward])
    Normalizer(lexicon)([backward, document_of("NaCl")])
    assert infons(forward) == infons(backward)


# -- learning the order -------------------------------------------------------------------------


def gold(text: str, identifier: str) -> BioCDocument:
    document = document_of(text)
    next(mentions(document)).annotation.infons["identifier"] = identifier
    return document


def test_the_sieve_that_is_right_more_often_goes_first(lexicon: Lexicon) -> None:
    documents = [gold("Ca2+", "MESH:D000007")] * 20 + [gold("Ethanol", "MESH:D000001")] * 20
    rows, order = learned_order(documents, lexicon)
    known = {row.sieve: (row.answered, row.right) for row in rows}
    assert (known["exact"], known["ion"]) == ((20, 0), (20, 20))
    assert order.index("ion") < order.index("exact")
    assert sorted(order) == sorted(DEFAULT_ORDER)


def test_a_sieve_of_few_answers_keeps_its_place(lexicon: Lexicon) -> None:
    assert learned_order([gold("Ethanol", "MESH:D000001")], lexicon)[1] == DEFAULT_ORDER


def test_a_tally_counts_who_won(lexicon: Lexicon) -> None:
    rows = {row.sieve: row for row in tally([gold("Ethanol", "MESH:D000002"), gold("wine", "MESH:D000002")], lexicon)}
    assert (rows["exact"].reached, rows["exact"].answered, rows["exact"].right) == (2, 1, 1)
    assert (rows["composite"].reached, rows["composite"].answered) == (1, 0)
