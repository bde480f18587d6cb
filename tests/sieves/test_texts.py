"""Rewriting accepts any text, and the examples of the docstrings hold."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sieves import registry
from sieves.chemistry import formulae, ions, isotopes, lipids, peptides, residues
from sieves.dense import ngrams
from sieves.lexicon import further_names, gold, keys
from sieves.rewriting import composites, peeling, variants

MODULES = [
    composites, formulae, further_names, gold, ions, isotopes, keys, lipids, ngrams, peeling, peptides, registry,
    variants,
]  # fmt: skip
REWRITES = [
    ions.names,
    isotopes.names,
    formulae.salts,
    lipids.shorthand,
    peeling.parent,
    peeling.bare,
    peeling.acids,
    peptides.protected,
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
    isotopes.label(text)
    keys.bag(text)
    list(residues.names(text, frozenset()))
