"""Congener numbers of halogenated biphenyls and diphenyl ethers become names."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from small_mesh import supplement, write_descriptors, write_supplements

from sieves.cascade import Cascade
from sieves.chemistry import congeners
from sieves.lexicon.lexicon import Lexicon
from sieves.lexicon.mesh_builder import Sources, build_mesh_lexicon


def test_the_examples_of_the_docstrings_hold() -> None:
    assert doctest.testmod(congeners).failed == 0


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("PCB-28", "2,4,4'-trichlorobiphenyl"),
        ("PCB 33", "2',3,4-trichlorobiphenyl"),
        ("PCB 33", "2,3',4'-trichlorobiphenyl"),
        ("CB126", "3,3',4,4',5-pentachlorobiphenyl"),
        ("CB126", "3,4,5,3',4'-pentachlorobiphenyl"),
        ("PCB-107", "2,3,3',4,5'-pentachlorobiphenyl"),
        ("PCB-199", "2,2',3,3',4,5,5',6'-octachlorobiphenyl"),
        ("PCB 1", "2-chlorobiphenyl"),
        ("BDE-99", "2,2',4,4',5-pentabromodiphenyl ether"),
        ("PBDE 209", "decabromodiphenyl ether"),
        ("PBB-153", "2,2',4,4',5,5'-hexabromobiphenyl"),
    ],
)
def test_a_number_is_a_pattern_of_substitution(text: str, name: str) -> None:
    assert name in list(congeners.names(text))


@pytest.mark.parametrize("text", ["PCB", "PCB-0", "PCB-210", "PCB-1254 mixture", "pcb-28", "CB1 receptor", ""])
def test_other_texts_are_no_congeners(text: str) -> None:
    assert list(congeners.names(text)) == []


def test_every_number_has_another_pattern() -> None:
    assert len({next(congeners.names(f"PCB-{number}")) for number in range(1, 210)}) == 209


def test_the_sieve_is_used_where_an_order_names_it(tmp_path: Path) -> None:
    descriptors = write_descriptors(tmp_path / "desc2024.xml")
    supplements = write_supplements(tmp_path / "supp2024.xml", [supplement("C000001", "2,4,4'-trichlorobiphenyl")])
    build_mesh_lexicon(Sources((descriptors,), (supplements,)), tmp_path / "x.sqlite")
    lexicon = Lexicon.open(tmp_path / "x.sqlite")
    assert Cascade(lexicon).resolve("PCB-28") is None
    found = Cascade(lexicon, "default,congener").resolve("PCB-28")
    assert found is not None
    assert (found.sieve, found.identifiers) == ("congener", ("MESH:C000001",))
