"""What a lexicon answers: a concept and the name by which it was found; and the order of such answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpora.model.mesh_ids import is_descriptor


@dataclass(frozen=True, slots=True)
class Match:
    """A concept and the name by which it was found.

    `identifier` is one concept (`MESH:D014867`), or several joined by `,` if the name means a mixture
    (phosphate-buffered saline). `layer` is the source of the name; `count` is how often a corpus has it.
    """

    identifier: str
    name: str
    preferred_name: str
    layer: str
    count: int = 0

    @property
    def identifiers(self) -> tuple[str, ...]:
        return tuple(self.identifier.split(","))


def order_of(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """The order within a reading: chemicals before proteins and roles, earlier layers, preferred names before synonyms,
    descriptors before supplementary records (indexers use descriptors), names that a corpus has more often."""
    identifier, name, _, layer, _, count, distance, preferred = row
    return distance > 0, layer, not preferred, not is_descriptor(identifier), -count, identifier, name


def distinct(rows: Sequence[Match]) -> tuple[Match, ...]:
    """The first row of each concept; most names are in several layers and have one concept."""
    first: dict[str, Match] = {}
    for row in rows:
        first.setdefault(row.identifier, row)
    return tuple(first.values())
