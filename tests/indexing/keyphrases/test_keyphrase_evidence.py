"""Features that are measured and not in the model: names of MeSH, mentions, definitions, co-use (benchmarks)."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from loaded_benchmark import load_benchmark

from indexing.keyphrases.candidates import Candidates

evidence = load_benchmark("keyphrases/evidence")

LEXICON = evidence.Lexicon(
    {"zinc": ("D1",), "zn": ("D1",), "root": ("D2", "D3"), "zinc uptak": ("D4",)},
    preferred=frozenset({"zinc"}),
    supplementary=frozenset({"zinc oxid"}),
    trees={"D1": ("D01.268.956",), "D2": ("A18.400",), "D3": ("B01",)},
)


def test_names_of_mesh_are_marked_with_branch_and_depth() -> None:
    values = dict(zip(evidence.LEXICON, evidence.lexicon_values(["zn", "zinc", "root"], LEXICON).T, strict=True))
    assert values["name"].tolist() == [1, 1, 1]
    assert values["preferred name"].tolist() == [0, 1, 0]
    assert values["depth"].tolist() == [3, 3, 1], "the highest place counts"
    assert (values["D"].tolist(), values["A"].tolist(), values["B"].tolist()) == ([1, 1, 0], [0, 0, 1], [0, 0, 1])


def test_the_longest_name_inside_is_a_share_of_the_words() -> None:
    values = evidence.lexicon_values(["rapid zinc uptak", "rapid growth", "zinc", "zinc oxid"], LEXICON)
    column = evidence.LEXICON.index("longest name inside")
    assert values[:, column].tolist() == pytest.approx([2 / 3, 0, 0, 1 / 2])
    assert values[:, evidence.LEXICON.index("supplementary name")].tolist() == [0, 0, 0, 1]


def test_all_names_of_a_concept_count_as_mentions() -> None:
    values = evidence.mention_values(["zn", "zinc", "other"], np.array([3.0, 1.0, 9.0]), LEXICON)
    assert values[0] == pytest.approx([np.log1p(4), 2, 0.75, 1])
    assert values[1] == pytest.approx([np.log1p(4), 2, 0.25, 0])
    assert not values[2].any()


def test_both_forms_of_a_definition_are_marked() -> None:
    stems = ["er", "estrogen receptor", "estrogen receptor alpha", "cell"]
    values = evidence.definition_values(stems, np.array([6.0, 2.0, 1.0, 5.0]), [("er", "estrogen receptor")])
    assert values[0] == pytest.approx([0, 1, 0, np.log1p(2), 0.75])
    assert values[1] == pytest.approx([1, 0, 0, np.log1p(6), 0.25])
    assert values[2].tolist() == [0, 0, 1, 0, 0]
    assert not values[3].any()


def test_a_definition_whose_other_form_is_no_candidate_counts_as_never_used() -> None:
    [values] = evidence.definition_values(["er"], np.array([6.0]), [("er", "estrogen receptor")])
    assert values.tolist() == [0, 1, 0, 0, 1]


def test_co_use_is_how_much_more_often_than_by_chance(candidates: Callable[..., Candidates]) -> None:
    keys = [(("zinc",), ("root", "roots of plant")), (("zinc",), ("root",)), (("cell",),), (("leaf",),)]
    counted = evidence.count_co_use(keys)
    assert counted.articles == 4
    assert counted.phrase_pairs["zinc", "root"] == 2
    assert counted.association(counted.phrases, counted.phrase_pairs)("zinc", "root") == pytest.approx(np.log(3 / 2))
    found = candidates([("TITLE", "Zinc in roots"), ("INTRO", "cell zinc cell")])
    stems = evidence.stems_of(found)
    values = dict(zip(stems, evidence.co_use_values(found, stems, counted), strict=True))
    assert values["zinc"] == pytest.approx([np.log(3 / 2)] * 3)
    assert values["cell"][0] < 0, "never together with the words of the title"


def test_the_tables_of_mesh_are_read(tmp_path: Path) -> None:
    tables = {
        "descriptor_terms_2024.tsv.gz": (
            "DescriptorUI\tTermName\tConceptPreferredTermYN\tRecordPreferredTermYN\nD1\tZincs\tY\tY\nD1\tZn\tN\tN\n"
        ),
        "descriptor_trees_2024.tsv.gz": "DescriptorUI\ttree_location\nD1\tD01.268\n",
        "scr_names_2017.tsv.gz": "scr_ui\tname\nC1\tzinc oxides\n",
    }
    for name, text in tables.items():
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as out:
            out.write(text)
    lexicon = evidence.read_lexicon(tmp_path)
    assert lexicon.concepts == {"zinc": ("D1",), "zn": ("D1",)}
    assert lexicon.preferred == {"zinc"}
    assert lexicon.supplementary == {"zinc oxid"}
    assert lexicon.trees == {"D1": ("D01.268",)}
