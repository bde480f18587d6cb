"""Rewriting accepts any text, and the examples of the docstrings hold."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieves import registry
from sieves.chemistry import amino_acids, composites, elements, formulae, lipids, variants
from sieves.dense import encoders
from sieves.lexicon import further_names, keys

MODULES = [
    amino_acids, composites, elements, formulae, further_names, keys, lipids, encoders, registry, variants,
]  # fmt: skip
REWRITES = [
    formulae.ion_names,
    elements.isotope_names,
    formulae.salts,
    lipids.shorthand,
    variants.parent,
    variants.bare,
    variants.acids,
    amino_acids.peptide_names,
    composites.splits,
    keys.plurals,
    variants.qualified,
    variants.renumbered,
    variants.reordered,
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_examples_of_the_docstrings_hold(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@given(st.text(max_size=60))
def test_any_text_has_finitely_many_rewritings(text: str) -> None:
    for rewrite in REWRITES:
        assert len(list(rewrite(text))) < 200
    elements.label(text)
    keys.bag(text)
    list(amino_acids.residue_names(text, frozenset()))
