"""The MeSH hierarchy: parents, ancestors, shortest paths upwards, and the distance of two ids.

It is read from a parents file: a JSON object `{"MESH:C000002": ["MESH:D001561"], ...}` from every id to its parents,
for one MeSH year. An id can have several parents. Ids without parents are below one artificial root, `ROOT`, which is
not an id and not part of a path.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from corpora.errors import ConfigurationError, damage
from corpora.storage.inputs import InputFile
from corpora.storage.members import members
from corpora.storage.packed_streams import READ_FAULTS

ROOT = None
"""The artificial parent of all ids without parents."""

Ascent = tuple[str, ...]
"""The ids on a path from an id up to an ancestor, both included; `ROOT` is left out."""


class Hierarchy:
    """Ids and their parents, without cycles. Results are cached."""

    __slots__ = ("_ascents", "_depths", "_distances", "_parents")

    def __init__(self, parents: Mapping[str, Iterable[str]]) -> None:
        """`parents`: the parents of every id. An id that occurs only as a parent has no parents.

        Raises `ConfigurationError` if an id is its own ancestor.
        """
        # A parent can be listed twice.
        known = {id: tuple(dict.fromkeys(above)) for id, above in parents.items()}
        for above in list(known.values()):
            for id in above:
                known.setdefault(id, ())
        self._parents: dict[str, tuple[str, ...]] = known
        self._distances: dict[str, dict[str, int]] = {}
        self._depths: dict[str, int] = {}
        self._ascents: dict[tuple[str, str | None], tuple[Ascent, ...]] = {}
        # An id without children cannot be in a loop. Without these ids, a tenth of MeSH remains to be checked.
        inner = sorted({above for values in known.values() for above in values})
        try:
            TopologicalSorter({id: known[id] for id in inner}).prepare()
        except CycleError as error:
            loop = list(error.args[1])
            raise ConfigurationError(
                f"{loop[0]} is its own ancestor ({' under '.join(loop[:10])}); correct its parents"
            ) from None

    @classmethod
    def read(cls, path: str | PathLike[str]) -> Hierarchy:
        """Read a parents file, plain or compressed (gzip, bzip2, xz).

        Raises `ConfigurationError` if the file is missing or is not a parents file.
        """
        parents = _load(Path(path))
        if not isinstance(parents, dict) or not parents:
            raise ConfigurationError(
                f"{path} is not a parents file: it must contain a JSON object from ids to their parents"
            )
        for id, above in parents.items():
            if not isinstance(above, list) or not all(isinstance(parent, str) and parent for parent in above):
                raise ConfigurationError(
                    f"{path}: the parents of {id!r} are not a list of ids; correct the file or fetch it again"
                )
        try:
            return cls(parents)
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from error

    def __contains__(self, id: object) -> bool:
        return id in self._parents

    def __len__(self) -> int:
        """The number of ids, without the root."""
        return len(self._parents)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parents)

    def parents(self, id: str) -> tuple[str, ...]:
        """The parents of an id; empty if it has none. Raises `KeyError` for an unknown id."""
        return self._parents[id]

    def distances(self, id: str) -> Mapping[str, int]:
        """Every ancestor of an id, and the id itself, with the smallest number of steps to it; without the root.

        Raises `KeyError` for an unknown id.
        """
        distances = self._distances.get(id)
        if distances is None:
            distances = {id: 0}
            level = [id]
            steps = 0
            while level:
                steps += 1
                above = dict.fromkeys(parent for child in level for parent in self._parents[child])
                level = [parent for parent in above if parent not in distances]
                distances.update(dict.fromkeys(level, steps))
            self._distances[id] = distances
        return distances

    def depth(self, id: str) -> int:
        """The smallest number of steps from an id to the root: 1 for an id without parents."""
        depth = self._depths.get(id)
        if depth is None:
            depth = 1 + min(steps for above, steps in self.distances(id).items() if not self._parents[above])
            self._depths[id] = depth
        return depth

    def ascents(self, id: str, ancestor: str | None) -> tuple[Ascent, ...]:
        """All shortest paths from an id to an ancestor, to itself, or to `ROOT`, sorted.

        Raises `KeyError` if `ancestor` is not an ancestor of the id.
        """
        ascents = self._ascents.get((id, ancestor))
        if ascents is None:
            ascents = tuple(sorted(self._climb(id, ancestor)))
            self._ascents[id, ancestor] = ascents
        return ascents

    def _climb(self, id: str, ancestor: str | None) -> list[Ascent]:
        if id == ancestor:
            return [(id,)]
        if ancestor is ROOT:
            steps = self.depth(id)
            if steps == 1:
                return [(id,)]
            onward = [parent for parent in self._parents[id] if self.depth(parent) == steps - 1]
        else:
            steps = self.distances(id)[ancestor]
            onward = [parent for parent in self._parents[id] if self.distances(parent).get(ancestor) == steps - 1]
        return [(id, *rest) for parent in onward for rest in self.ascents(parent, ancestor)]

    def distance(self, first: str, other: str) -> int | None:
        """The number of steps between two ids by their nearest common ancestor; 0 for the same id.

        None if an id is unknown or if they have only the root in common.
        """
        if first == other:
            return 0
        if first not in self._parents or other not in self._parents:
            return None
        here, there = self.distances(first), self.distances(other)
        return min((steps + there[above] for above, steps in here.items() if above in there), default=None)


def _load(path: Path) -> Any:
    try:
        for member, stream in members(InputFile(str(path), PurePosixPath(path.name))):
            if member.fault is not None:
                raise ConfigurationError(f"the parents file {path} cannot be read: {member.fault}")
            return json.loads(stream.read())
    except READ_FAULTS as error:
        raise ConfigurationError(f"the parents file {path} cannot be read: {error}; fetch it again") from error
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"the parents file {path} is not JSON ({damage(error)}); fetch it again") from error
    raise ConfigurationError(f"the parents file {path} is an empty archive; give the path of the file itself")
