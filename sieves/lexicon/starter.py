"""The starter lexicon: hand-picked names. It is small, and it is the first layer of the default lexicon.

Two files hold it. `starter.tsv` has the names that MeSH does not give: shorthand, formulae, running-text spellings.
They are the layer `starter` of the default lexicon. `common_names.tsv` has the names of MeSH that mean a chemical in
almost any article. It adds no name to MeSH: it is the choice of names that vote beside a trained tagger.
`benchmarks/retrain/starter_names.py` moves names between the files when MeSH changes.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from sieves.lexicon.building import compile_tsv

__all__ = ["STARTER", "STARTER_NAMES"]

STARTER = "starter"
"""The name by which the option `lexicon` and `Lexicon.open` select the starter lexicon."""
STARTER_NAMES = Path(__file__).with_name("starter.tsv")
COMMON_NAMES = Path(__file__).with_name("common_names.tsv")


def open_starter() -> sqlite3.Connection:
    """The starter lexicon in memory, with both files as one layer."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)
    connection.deserialize(_compiled())
    return connection


@cache
def _compiled() -> bytes:
    """The database; compiled once in a process."""
    with closing(compile_tsv([COMMON_NAMES, STARTER_NAMES], STARTER)) as connection:
        return connection.serialize()
