"""The gazetteer: what the default lexicon has for each word piece."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_mesh import descriptor, write_descriptors

from nlmchem.tagging.gazetteer.classes import ANNOTATED, CHEMICAL, CLASSES, DOUBTFUL, PROTEIN, ROLE, Gazetteer
from nlmchem.tagging.gazetteer.classes import shipped_gazetteer as shipped
from nlmchem.tagging.tokenization.tokens import TOKEN
from nlmchem.tagging.tokenization.word_pieces import Encoded
from sieves.lexicon.lexicon import STARTER, Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory: pytest.TempPathFactory) -> Lexicon:
    folder = tmp_path_factory.mktemp("mesh")
    records = [
        descriptor("D000001", "Dioxolane", "D02.033.375"),
        descriptor("D000002", "Sodium Chloride", "D01.857.650"),
        descriptor("D000003", "Trypsin", "D08.811.277.656.300.760.442.750"),
        descriptor("D000004", "Antioxidants", "D27.505.519.217"),
        descriptor("D000005", "Solution", "D02.776"),
        descriptor("D000006", "ANDS", "D02.777"),
    ]
    build_mesh_lexicon(Sources((write_descriptors(folder / "desc2024.xml", records),)), folder / "mesh.sqlite")
    return Lexicon.open(folder / "mesh.sqlite")


def classes(gazetteer: Gazetteer, text: str) -> dict[str, int]:
    pieces = tokens_of(text)
    (found,) = gazetteer([text], [pieces])
    places = zip(pieces.starts.tolist(), pieces.ends.tolist(), found.tolist(), strict=True)
    return {text[start:end]: kind for start, end, kind in places}


def tokens_of(text: str) -> Encoded:
    spans = np.array([token.span() for token in TOKEN.finditer(text)], dtype=np.int32).reshape(-1, 2)
    return Encoded(np.zeros(len(spans), np.int32), spans[:, 0], spans[:, 1], np.zeros(len(spans), bool))


def test_classes_follow_the_branch_of_mesh(lexicon: Lexicon) -> None:
    found = classes(Gazetteer(lexicon), "Dioxolane with trypsin and antioxidants was given.")
    assert found["Dioxolane"] == CHEMICAL
    assert found["trypsin"] == PROTEIN
    assert found["antioxidants"] == ROLE
    assert found["given"] == 0


def test_later_pieces_of_a_name_have_another_class(lexicon: Lexicon) -> None:
    found = classes(Gazetteer(lexicon), "sodium chloride")
    assert found == {"sodium": CHEMICAL, "chloride": CHEMICAL + 1}


def test_a_name_that_is_a_common_word_is_doubtful(lexicon: Lexicon) -> None:
    assert classes(Gazetteer(lexicon), "the solutions")["solutions"] == DOUBTFUL


def test_a_name_in_another_spelling_is_doubtful(lexicon: Lexicon) -> None:
    assert classes(Gazetteer(lexicon), "sodium-chloride")["sodium"] == DOUBTFUL


@pytest.mark.parametrize("text", ["sodium-chloride.", "(sodium-chloride)", "sodium-chloride,", "-sodium-chloride-"])
def test_a_strict_gazetteer_leaves_out_punctuation_around_a_name(lexicon: Lexicon, text: str) -> None:
    found = classes(Gazetteer(lexicon, strict=True), text)
    assert {token for token, kind in found.items() if kind} == {"sodium", "-", "chloride"} - set(text[0])
    assert found["sodium"] == DOUBTFUL


def test_a_strict_gazetteer_keeps_the_case_of_short_names_and_their_words(lexicon: Lexicon) -> None:
    strict, loose = Gazetteer(lexicon, strict=True), Gazetteer(lexicon)
    for text in ("ands", "and s"):
        assert set(classes(strict, text).values()) == {0}
        assert DOUBTFUL in classes(loose, text).values()
    assert classes(strict, "ANDS") == {"ANDS": CHEMICAL}


def test_annotated_names_are_marked_as_such(lexicon: Lexicon) -> None:
    found = classes(Gazetteer(lexicon, ["dioxolane", "PBS buffer"]), "dioxolane in PBS buffer")
    assert found["dioxolane"] == CHEMICAL + ANNOTATED
    assert found["PBS"] == ANNOTATED
    assert found["buffer"] == 2 * ANNOTATED


def test_annotated_names_keep_their_case_and_begin_at_words(lexicon: Lexicon) -> None:
    found = classes(Gazetteer(lexicon, ["Cys"]), "cys Cysteamine xCys")
    assert set(found.values()) == {0}


def test_the_longest_annotated_name_wins(lexicon: Lexicon) -> None:
    found = classes(Gazetteer(lexicon, ["PBS", "PBS buffer"]), "PBS buffer")
    assert found == {"PBS": ANNOTATED, "buffer": 2 * ANNOTATED}


def test_starter_names_are_not_used() -> None:
    assert set(classes(Gazetteer(Lexicon.open(STARTER)), "glucose, water and NaCl").values()) == {0}


def test_the_version_depends_on_lexicon_and_names(lexicon: Lexicon) -> None:
    versions = {Gazetteer(lexicon).version, Gazetteer(lexicon, ["x"]).version, Gazetteer(Lexicon.open(STARTER)).version}
    assert len(versions) == 3


def test_the_shipped_gazetteer_has_mesh_and_annotated_names() -> None:
    found = classes(shipped(), "cisplatin and NaCl")
    assert found["cisplatin"] in (CHEMICAL, CHEMICAL + ANNOTATED)
    assert found["NaCl"] >= ANNOTATED


@given(st.text(alphabet="aβ2+-()[],. ethanolNaCl\n\u0301\u00a0", max_size=80))
def test_any_text_has_one_class_a_piece(text: str) -> None:
    pieces = tokens_of(text)
    (found,) = shipped()([text], [pieces])
    assert found.shape == pieces.starts.shape
    assert ((found >= 0) & (found < CLASSES)).all()
