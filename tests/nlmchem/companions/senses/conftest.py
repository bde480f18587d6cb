"""A resolver trained on small articles, once for all tests of the room."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_world import articles

from nlmchem.abbreviations import define
from nlmchem.companions.senses.building import BuildingOptions, read_records
from nlmchem.companions.senses.making import make_folder
from nlmchem.companions.senses.resolver import Resolver, open_resolver

OPTIONS = BuildingOptions(words=500, terms=20, width=8)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a resolver."""
    folder = tmp_path_factory.mktemp("senses")
    records = read_records(articles(), lambda document: define(document).definitions)
    make_folder(records, folder, lambda sentence: None, options=OPTIONS)
    return folder


@pytest.fixture(scope="session")
def resolver(trained: Path) -> Resolver:
    return open_resolver(trained)
