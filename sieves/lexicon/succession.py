"""What became of identifiers: the years that list them, headings of a newer year, and records that are gone.

A lexicon is built from files of several years. `Listings` collects which year lists which identifiers. A list of
headings of a newer year (`read_headings`) has names only; `join_headings` gives each new heading the record of the
files that has its name. `find_successors` finds the concept that has the names of a record that the newest files do not
list any more.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from corpora.errors import ResourceError
from corpora.model.mesh_ids import is_descriptor, mesh_id
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.store import CURRENT, ELSEWHERE, Content, NameRow, StoredConcept
from sieves.lexicon.tables import opened

_UNLISTED_TREES = ("V", "Z")
"""Publication types and places: NLM lists them apart from the other headings."""
_SHORTEST_KEY = 4
"""Characters. Two records with a shorter name in common can be different substances (`L1`)."""
_NO_WORD = re.compile(r"[\W_]+")


@dataclass(slots=True)
class Listings:
    """The identifiers that the files of each year list."""

    by_year: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def add(self, year: str, identifiers: Iterable[str]) -> None:
        self.by_year[year].update(identifiers)

    @property
    def years(self) -> tuple[str, ...]:
        """The years, the first one first; their order is that of the bits of `StoredConcept.listed`."""
        return tuple(sorted(self.by_year))

    def bits(self) -> dict[str, int]:
        """`StoredConcept.listed` of each identifier."""
        bits: dict[str, int] = defaultdict(int)
        for number, year in enumerate(self.years):
            for identifier in self.by_year[year]:
                bits[identifier] |= 1 << number
        return bits


# -- headings of a newer year -------------------------------------------------------------------


def read_headings(path: Path) -> dict[str, str]:
    """The names of the headings of a year, by identifier: a TSV `D000001<TAB>Calcimycin`, plain or gzip, with a header.

    Raises `ResourceError` if it is missing or broken, or has another form.
    """
    try:
        with opened(path) as lines:
            rows = [line.rstrip("\r\n").split("\t") for line in lines][1:]
    except FileNotFoundError as error:
        raise ResourceError(f"no list of headings at {path}; name another file") from error
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise ResourceError(f"the list of headings {path} cannot be read ({error}); fetch it again") from error
    names: dict[str, str] = {}
    for number, row in enumerate(rows, 2):
        identifier = mesh_id(row[0])
        if len(row) != 2 or identifier is None or not is_descriptor(identifier) or not tidy(row[1]):
            raise ResourceError(f"{path}, line {number}: not of the form identifier<TAB>name; correct the line")
        names[identifier] = tidy(row[1])
    return names


def join_headings(content: Content, headings: Mapping[str, str], layer: int) -> list[str]:
    """Add the headings of a newer year to a content; returns the identifiers of its headings that are gone.

    A heading that the content has gets its new name. A new heading takes the place of the supplementary record that
    has its name as preferred name, or else of the only one with this name at all. It is then a concept of the same
    kind, and the record is replaced by it. A new heading with a name of an older heading has this one above it. Nothing
    is known about the kind of the others. `layer`: the rank of the names of MeSH.
    """
    known = {identifier: concept for identifier, concept in content.concepts.items() if is_descriptor(identifier)}
    new = {identifier: name for identifier, name in headings.items() if identifier not in known}
    wanted = {words(name) for name in new.values()}
    # For each of the `words` that are wanted, the concepts with such a name, and whether it is the preferred one.
    holders: dict[str, dict[str, bool]] = defaultdict(dict)
    for name, _, identifier, _, _ in (*content.names, *content.elsewhere):
        if identifier in content.concepts and (key := words(name)) in wanted:
            preferred = words(content.concepts[identifier].preferred_name) == key
            holders[key][identifier] = preferred or holders[key].get(identifier, False)
    for identifier, name in headings.items():
        concept = known.get(identifier)
        if concept is None:
            concept = _placed(content, identifier, name, holders.get(words(name), {}))
        elif concept.preferred_name == name:
            continue
        content.concepts[identifier] = replace(concept, preferred_name=name)
        rows = content.elsewhere if concept.distance == ELSEWHERE else content.names
        rows.append((name, layer, identifier, True, 0))
    # A list of headings leaves publication types and places out in any year.
    return [
        identifier
        for identifier, concept in known.items()
        if identifier not in headings and not all(tree.startswith(_UNLISTED_TREES) for tree in concept.trees.split())
    ]


def words(name: str) -> str:
    """The words of a name in small letters, the last one without its plural s: equal for names that mean the same.

    >>> words("CRF Receptor, Type 1") == words("CRF receptor type 1"), words("Bisphenols") == words("bisphenol S")
    (True, False)
    """
    return _NO_WORD.sub(" ", name.casefold()).strip().removesuffix("s")


def _placed(content: Content, identifier: str, name: str, holders: Mapping[str, bool]) -> StoredConcept:
    records = [holder for holder in holders if not is_descriptor(holder)]
    preferred = [record for record in records if holders[record]]
    for matching in (preferred, records):
        if len(matching) == 1:
            content.replaced.append((matching[0], identifier))
            return replace(content.concepts[matching[0]], identifier=identifier, years=CURRENT)
    headings = sorted(holder for holder in holders if is_descriptor(holder))
    if len(headings) == 1:
        above = content.concepts[headings[0]]
        return StoredConcept(identifier, name, above.distance, CURRENT, "", above.identifier)
    return StoredConcept(identifier, name, ELSEWHERE, CURRENT)


# -- records that are gone ----------------------------------------------------------------------


def find_successors(content: Content, gone: Collection[str], listed: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs of an identifier that is gone and the only listed one that has any of its names.

    `gone`: supplementary records of older files. `listed`: the identifiers of the newest files. Where several listed
    concepts share the names of a record, none of them is its successor.
    """
    rows = (*content.names, *content.elsewhere)
    names: dict[str, set[str]] = defaultdict(set)
    for key, identifier in _keys(rows, gone):
        names[key].add(identifier)
    successors: dict[str, set[str]] = defaultdict(set)
    for key, identifier in _keys(rows, listed):
        for old in names.get(key, ()):
            successors[old].add(identifier)
    yield from sorted((old, *new) for old, new in successors.items() if len(new) == 1)  # type: ignore[misc]


def _keys(rows: Iterable[NameRow], wanted: Collection[str]) -> Iterator[tuple[str, str]]:
    for name, _, identifier, _, _ in rows:
        if identifier in wanted and len(key := relaxed(name)) >= _SHORTEST_KEY:
            yield key, identifier


def last_successors(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The pairs with successors of successors: a record that became another record, and that one a heading."""
    next_ones: dict[str, list[str]] = defaultdict(list)
    for old, new in pairs:
        if new not in next_ones[old]:
            next_ones[old].append(new)

    def last(identifier: str, seen: frozenset[str]) -> Iterator[str]:
        following = [new for new in next_ones.get(identifier, ()) if new not in seen]
        if not following:
            yield identifier
        for new in following:
            yield from last(new, seen | {new})

    return sorted({(old, new) for old in list(next_ones) for new in last(old, frozenset({old})) if new != old})
