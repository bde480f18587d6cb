"""The lexicon tagger: longest names of chemicals, at word boundaries, not inside names of proteins."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from bioc import BioCAnnotation, BioCSentence
from hypothesis import given
from hypothesis import strategies as st
from plain_articles import plain_article
from small_mesh import descriptor, write_descriptors

from corpora.model.document import mentions
from corpora.model.invariant import check
from nlmchem.abbreviations.stage import AbbreviationStage
from nlmchem.tagging.lexicon_tagger import NOT_IN_TEXT, LexiconTagger, ShortForms
from sieves.lexicon.lexicon import STARTER, Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon

LEXICON = Lexicon.open()
TAGGER = LexiconTagger(LEXICON)


def found(text: str) -> list[str]:
    return [text[start:end] for start, end, _ in TAGGER.find([text])[0]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Water and ethanol.", ["Water", "ethanol"]),
        ("ETHANOL, Nile Red and NILE RED", ["ETHANOL", "Nile Red", "NILE RED"]),
        ("Iron, not IRON; Fe, not FE", ["Iron", "Fe"]),
        ("omega-3 fatty acids and fatty acids", ["omega-3 fatty acids", "fatty acids"]),
        ("sodium chloride (NaCl)", ["sodium chloride", "NaCl"]),
        # MeSH has this name with its formula; they are two mentions.
        ("Hydrogen peroxide (H2O2) in water", ["Hydrogen peroxide", "H2O2", "water"]),
        ("lipids, ceramides and ATPs", ["lipids", "ceramides", "ATPs"]),
        ("glucose-induced, H2O2-treated, high-glucose", ["glucose", "H2O2", "glucose"]),
        ("gemcitabine/cisplatin", ["gemcitabine", "cisplatin"]),
        ("Ca²⁺, Ca2+ and Ca(2+)", ["Ca²⁺", "Ca2+", "Ca(2+)"]),
        ("amino\u00a0acids, amino  acids, amino\nacids", ["amino\u00a0acids", "amino  acids", "amino\nacids"]),
        ("20 mM HEPES, pH 7.4", ["HEPES"]),
        ("α‐tocopherol", ["α‐tocopherol"]),
        ("", []),
        (" \n", []),
    ],
)
def test_the_longest_names_are_found(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "waterproof",  # inside a word
        "rosewater",
        "H2O23",
        "2H2O",
        "Cl-like",  # a hyphen, no charge
        "water\u0301",  # a letter that goes on with a combining mark
        "leads to",
        "Cas9, Nas",
        "the gold standard",
        "MDA-MB-231 cells",
        "120 mm Hg",
    ],
)
def test_text_that_only_resembles_a_name_is_not_marked(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "glutamate receptor",
        "dopamine transporters",
        "Ca2+-ATPase",
        "Na+/K+-ATPase",
        "glycogen synthase kinase",
        "lactate dehydrogenase",
        "glutathione S-transferase",
        "N-methyl-D-aspartate (NMDA) receptors",
        "glucose-6-phosphatase",
        "potassium channel",
        "zinc finger",
    ],
)
def test_names_of_proteins_are_not_marked(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ["glucose increases", "ethanol phase", "calcium release", "cholesterol disease"])
def test_some_words_end_like_an_enzyme(text: str) -> None:
    assert found(text) == [text.split()[0]]


@pytest.mark.parametrize(
    "text", ["3-glucose", "N-proline", "methyl-glucose", "Ca(v)1.2", "amlodipine", "kanamycin fumarate"]
)
def test_parts_of_longer_names_are_not_marked(text: str) -> None:
    assert set(found(text)) <= {"amlodipine", "kanamycin"}


@pytest.mark.parametrize(
    "text",
    [
        "insulin", "TNF-alpha", "interleukin-6", "DNA", "siRNA", "catalase", "Cyclooxygenase 2",
        "antioxidants", "breast cancer", "Escherichia coli",
    ],
)  # fmt: skip
def test_proteins_nucleic_acids_roles_and_other_concepts_are_not_marked(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ["Treatment", "therapy", "solutions", "the elements of"])
def test_common_words_are_not_marked(text: str) -> None:
    assert found(text) == []


def test_common_words_of_the_starter_lexicon_are_marked() -> None:
    assert found("water and glucose") == ["water", "glucose"]


def test_all_names_of_a_lexicon_that_is_not_mesh_are_marked(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("MESH:D007328\tinsulin\ttreatment\n", "utf-8")
    tagger = LexiconTagger(Lexicon.open(tmp_path / "x.tsv"))
    assert [name for _, _, name in tagger.find(["treatment with insulin"])[0]] == ["treatment", "insulin"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Docosahexaenoic acid (DXA) and DXAs.", ["Docosahexaenoic acid", "DXA", "DXAs"]),
        ("Double-strand breaks (DSB) and DSB.", []),
        ("A glucose transporter (GLT) and GLT.", []),
    ],
)
def test_a_short_form_means_what_the_article_defines(text: str, names: list[str]) -> None:
    document = plain_article(text)
    AbbreviationStage()([document])
    TAGGER([document])
    assert [mention.text for mention in mentions(document)] == names


def test_ambiguous_names_are_in_the_lexicon_but_are_not_marked() -> None:
    lexicon = Lexicon.open()
    assert "metal" in NOT_IN_TEXT
    assert lexicon.lookup("metal")
    assert found("lead acetate and metal") == ["lead acetate"]


def test_lead_is_marked_where_it_is_the_metal() -> None:
    assert found("Blood lead rose, which may lead to harm.") == ["lead"]
    assert found("The lead author may lead to harm.") == []


def test_the_name_comes_with_the_span() -> None:
    assert TAGGER.find(["in  two Ethanols"]) == [[(8, 16, "Ethanol")]]


def test_names_without_a_concept_in_the_year_of_the_lexicon_are_marked(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml", [descriptor("D000001", "Younger Acid")])
    parents = tmp_path / "parents_2020.json"
    parents.write_text('{"MESH:D000009": []}', "utf-8")
    build_mesh_lexicon(Sources((descriptors,), (), (parents,)), tmp_path / "x.sqlite")
    lexicon = Lexicon.open(tmp_path / "x.sqlite", as_of=2020)
    assert lexicon.lookup("younger acid") == ()
    assert LexiconTagger(lexicon).find(["of Younger Acid"]) == [[(3, 15, "Younger Acid")]]


PIECES = st.one_of(
    st.sampled_from(sorted(name for name, _ in Lexicon.open(STARTER).names())[::7]),
    st.sampled_from([" ", "-", "/", "(", ")", "s", "2", "ase", " receptor", "\u0301", "²", "+", "\n", "β", "a"]),
    st.text(max_size=5),
)


@given(st.lists(PIECES, max_size=12).map("".join), st.data())
def test_names_begin_in_the_parts_that_are_searched(text: str, data: st.DataObject) -> None:
    within = np.array(data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text))), dtype=np.bool_)
    assert all(within[start] for start, _, _ in TAGGER.find([text], within=[within])[0])
    assert TAGGER.find([text], within=[np.ones(len(text), dtype=np.bool_)]) == TAGGER.find([text])


def test_names_are_searched_in_a_part_of_the_text() -> None:
    text = "water, ethanol and glucose"
    within = np.zeros(len(text), dtype=np.bool_)
    within[5:20] = True
    assert [name for _, _, name in TAGGER.find([text], within=[within])[0]] == ["ethanol", "glucose"]


def test_one_word_of_a_million_letters_is_one_word() -> None:
    assert found("a" * 1_000_000 + " water") == ["water"]


def test_names_longer_than_the_window_are_not_marked(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text(f"MESH:D1\tfine\t{'long name ' * 1000}\n", "utf-8")
    tagger = LexiconTagger(Lexicon.open(tmp_path / "x.tsv"))
    assert [name for _, _, name in tagger.find(["long name " * 1000 + "fine"])[0]] == ["fine"]


def test_mentions_have_offsets_ids_and_an_annotator() -> None:
    document = plain_article("On water", "Ethanol in water", start=3)
    TAGGER([document])
    assert [(m.text, m.spans, m.annotation.id) for m in mentions(document)] == [
        ("water", ((6, 11),), "C1"),
        ("Ethanol", ((12, 19),), "C2"),
        ("water", ((23, 28),), "C3"),
    ]
    assert {m.annotator for m in mentions(document)} == {f"nlmchem:lexicon@{Lexicon.open().version[:12]}"}
    assert {m.evidence.score for m in mentions(document)} == {None}
    assert check(document) == []


def test_a_passage_of_sentences_is_read_as_one_text() -> None:
    document = plain_article("")
    for offset, text in ((3, "Pure water."), (16, "Ethanol.")):
        sentence = BioCSentence()
        sentence.offset, sentence.text = offset, text
        document.passages[0].add_sentence(sentence)
    TAGGER([document])
    assert [(m.text, m.spans) for m in mentions(document)] == [("water", ((8, 13),)), ("Ethanol", ((16, 23),))]
    assert check(document) == []


def test_sections_can_be_skipped() -> None:
    documents = [plain_article("water", section=section) for section in ("REF", "ref", "METHODS")]
    LexiconTagger(Lexicon.open(), skip_sections=frozenset({"REF"}))(documents)
    assert [len(list(mentions(document))) for document in documents] == [0, 0, 1]


def test_existing_annotations_and_their_ids_do_not_change() -> None:
    document = plain_article("water")
    foreign = BioCAnnotation()
    foreign.id, foreign.infons = "C1", {"type": "MeSH_Indexing_Chemical"}
    document.passages[0].add_annotation(foreign)
    TAGGER([document])
    assert document.passages[0].annotations[0] is foreign
    assert [annotation.id for annotation in document.passages[0].annotations] == ["C1", "C2"]


def test_documents_without_text_get_no_mentions() -> None:
    documents = [plain_article(), plain_article("")]
    TAGGER(documents)
    assert [list(mentions(document)) for document in documents] == [[], []]


def test_a_tagger_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(TAGGER)).find(["water"]) == TAGGER.find(["water"])


def test_a_text_with_lone_surrogates_is_tagged() -> None:
    assert found("\ud800 water\ud800 ethanol \ud8001") == ["water", "ethanol"]


def test_a_text_may_end_with_a_short_form_that_begins_a_longer_one() -> None:
    forms = ShortForms([("MT", "methyltestosterone"), ("MT-1", "metallothionein")], lambda long: long[1] == "e")
    assert list(forms.beside("then MT", [])) == [(5, 7, True)]
    assert list(forms.beside("then MT-1", [])) == [(5, 9, True)]


def test_a_short_form_ends_a_text_although_a_longer_one_begins_alike() -> None:
    short_forms = ShortForms([("PCB-28", "a congener"), ("PCB", "polychlorinated biphenyl")], lambda long: True)
    for text, end in (("PCB", 3), ("PCBs", 4), ("PCB-", 3)):
        assert list(short_forms.beside(text, ())) == [(0, end, True)], text
