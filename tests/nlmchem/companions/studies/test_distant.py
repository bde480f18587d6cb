"""Distant labels: names of MeSH in unlabelled articles."""

from __future__ import annotations

from pathlib import Path

import pytest
from bioc import BioCAnnotation, BioCDocument, BioCPassage, BioCRelation, BioCSentence
from small_mesh import descriptor, write_descriptors

import corpora
from corpora.model.document import add_mention, mentions
from nlmchem.companions.studies.augmentation import distantly_labelled, remove_unlabelled
from nlmchem.tagging.gazetteer.classes import Gazetteer
from nlmchem.tagging.training.data import MASKED, is_distant
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon


@pytest.fixture(scope="module")
def gazetteer(tmp_path_factory: pytest.TempPathFactory) -> Gazetteer:
    folder = tmp_path_factory.mktemp("mesh")
    records = [
        descriptor("D000001", "Dioxolane", "D02.033.375"),
        descriptor("D000003", "Trypsin", "D08.811.277.656.300.760.442.750"),
        descriptor("D000005", "Solution", "D02.776"),
    ]
    build_mesh_lexicon(Sources((write_descriptors(folder / "desc2024.xml", records),)), folder / "mesh.sqlite")
    return Gazetteer(Lexicon.open(folder / "mesh.sqlite"), ["solution", "XQ7"], strict=True)


def article(text: str) -> BioCDocument:
    document, passage = BioCDocument(), BioCPassage()
    document.id, passage.offset, passage.text = "1", 10, text
    document.add_passage(passage)
    return document


def found(document: BioCDocument, type: str = "Chemical") -> list[str]:
    return [mention.annotation.text for mention in mentions(document, type)]


def test_sure_names_are_mentions_and_others_are_masked(gazetteer: Gazetteer) -> None:
    document = article("Dioxolane with trypsin, solutions and XQ7.")
    assert distantly_labelled(document, gazetteer) == 1
    assert found(document) == ["Dioxolane"]
    assert found(document, MASKED) == ["trypsin", "solutions", "XQ7"]
    assert [mention.spans[0][0] for mention in mentions(document)] == [10]


def test_a_doubtful_name_that_annotators_marked_is_a_mention(gazetteer: Gazetteer) -> None:
    document = article("the solution")
    distantly_labelled(document, gazetteer)
    assert found(document) == ["solution"]


def test_annotations_of_the_input_are_replaced_and_the_mark_survives_a_file(
    gazetteer: Gazetteer, tmp_path: Path
) -> None:
    document = article("trypsin, dioxolane")
    add_mention(document.passages[0], [(10, 17)], id="1", annotator=None)
    assert not is_distant(document)
    distantly_labelled(document, gazetteer)
    assert found(document) == ["dioxolane"]
    corpora.write([document], tmp_path / "distant.xml", "biocxml")
    (read,) = corpora.read(tmp_path / "distant.xml")
    assert is_distant(read)
    assert found(read) == ["dioxolane"]


def test_annotations_and_relations_of_sentences_and_of_the_article_are_replaced(gazetteer: Gazetteer) -> None:
    document = article("")
    passage, sentence = document.passages[0], BioCSentence()
    sentence.offset, sentence.text = 10, "trypsin, dioxolane"
    passage.text = None
    passage.add_sentence(sentence)
    for holder, name in ((sentence, "1"), (document, "2")):
        annotation, relation = BioCAnnotation(), BioCRelation()
        annotation.id, relation.id = name, f"R{name}"
        holder.add_annotation(annotation)
        holder.add_relation(relation)
    assert distantly_labelled(document, gazetteer) == 1
    assert found(document) == ["dioxolane"]
    assert not document.annotations
    assert not document.relations
    assert not sentence.relations


def test_a_marked_text_that_overlaps_a_name_is_left_to_the_name(gazetteer: Gazetteer) -> None:
    document = article("dioxolane solution")
    distantly_labelled(document, Gazetteer(gazetteer._lexicon, ["dioxolane solution"], strict=True))
    assert found(document) == ["dioxolane"]
    assert found(document, MASKED) == ["solution"]


def test_a_defined_short_form_has_the_label_of_its_long_form(gazetteer: Gazetteer) -> None:
    document = article("We added dioxolane (DXL). DXL and DXLs rose. The short interval (SI) is not SI.")
    distantly_labelled(document, gazetteer)
    assert found(document) == ["dioxolane", "DXL", "DXL", "DXLs"]


def test_a_short_form_of_a_protein_is_not_labelled_although_annotators_marked_it(gazetteer: Gazetteer) -> None:
    document = article("The extended quality score (XQ7) rose. XQ7 fell.")
    distantly_labelled(document, gazetteer)
    assert not found(document)


def test_a_name_inside_the_name_of_a_protein_is_masked(gazetteer: Gazetteer) -> None:
    document = article("dioxolane receptor and dioxolane")
    distantly_labelled(document, gazetteer)
    assert found(document) == ["dioxolane"]
    assert found(document, MASKED) == ["dioxolane"]


def test_passages_without_a_chemical_are_removed(gazetteer: Gazetteer) -> None:
    document = article("dioxolane")
    other = BioCPassage()
    other.offset, other.text = 30, "trypsin"
    document.add_passage(other)
    distantly_labelled(document, gazetteer)
    remove_unlabelled(document)
    assert [passage.offset for passage in document.passages] == [10]
