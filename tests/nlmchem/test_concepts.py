"""`nlmchem.lookup` and `nlmchem.define`."""

from __future__ import annotations

import pytest

import nlmchem


@pytest.mark.parametrize("identifier", [" D005947 ", " MESH:D005947\n"])
def test_spaces_around_an_identifier_do_not_matter(identifier: str) -> None:
    assert nlmchem.define(identifier, lexicon="starter").name == "glucose"
