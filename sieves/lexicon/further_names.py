"""Further names of concepts: those of other name spaces (ChEBI, PubChem, DrugBank ...), and those of annotated corpora.

Names of other name spaces are joined to MeSH through cross-references. Files are TSV or CSV, plain or gzip. The cells
decide what a column has: identifiers of a known form, or names. A header is a row without identifiers and is skipped.
"""

from __future__ import annotations

import csv
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.errors import ResourceError
from corpora.model.document import mentions
from corpora.model.mesh_ids import MESH_ID, PREFIX, mesh_ids
from sieves.lexicon.keys import relaxed, tidy
from sieves.lexicon.tables import opened

# CAS numbers and UNII codes have check digits; these patterns are tight enough without them.
_FORMS: tuple[tuple[re.Pattern[str], str], ...] = (
    (MESH_ID, PREFIX),
    (re.compile(r"CHEBI:(\d+)"), "CHEBI:"),
    (re.compile(r"(?:DRUGBANK:)?(DB\d{5})"), "DRUGBANK:"),
    (re.compile(r"(?:CAS:)?(\d{2,7}-\d\d-\d)"), "CAS:"),
    (re.compile(r"drugcentral:(\d+)", re.I), "DRUGCENTRAL:"),
    (re.compile(r"NCIT:(C\d+)"), "NCIT:"),
    (re.compile(r"UNII:([A-Z0-9]{10})"), "UNII:"),
    (re.compile(r"(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])([A-Z0-9]{10})"), "UNII:"),
    (re.compile(r"(?:PUBCHEM:|CID:?)?(\d{1,9})"), "PUBCHEM:"),
)
_NAMESPACES = {"MESH", "CHEBI", "DRUGBANK", "CAS", "DRUGCENTRAL", "NCIT", "UNII", "PUBCHEM"}
SHOWN_NAMESPACES = ("CHEBI", "PUBCHEM")
"""Name spaces whose identifiers are shown beside those of MeSH."""
_MOST_NAMES = 300
"""An identifier with more names than this is a class or an error."""


AGREEMENT = 0.7
"""The share of the articles with a surface in which it must have the same ids."""
CASED = 5
"""Shorter surfaces are left out: they are abbreviations, which mean something else in other articles."""

NameGroup = tuple[tuple[str, ...], tuple[str, ...]]
"""The identifiers and the names that a source gives to one substance."""


def identifier_of(cell: str, namespace: str = "") -> str | None:
    """A cell as an identifier such as `CHEBI:135495`; None if it is not one. `namespace`: the cell with the name space.

    >>> identifier_of("C000002"), identifier_of("50-00-0"), identifier_of("C994", "NCIT"), identifier_of("water")
    ('MESH:C000002', 'CAS:50-00-0', 'NCIT:C994', None)
    """
    if namespace:
        # A number of another name space, such as HGNC, is none of PubChem.
        return f"{namespace}:{cell.removeprefix(namespace + ':')}" if namespace in _NAMESPACES and cell else None
    for form, prefix in _FORMS:
        match = form.fullmatch(cell)
        if match:
            return prefix + match[1]
    return None


def read_names(path: Path) -> list[NameGroup]:
    """The groups of a file of names. Raises `ResourceError` if it is missing or broken, or has none."""
    names: dict[tuple[tuple[str, ...], str], dict[str, None]] = {}
    header: list[str] = []
    for row in _rows(path):
        header, predicate = header or row, ""
        # A table with a predicate (`rdfs:label`, a synonym) repeats the label in every row; the repetition is ignored.
        # Labels and synonyms are separate groups: in a published file of DrugCentral their numbers differ, and
        # alendronate has the label of pentetrazol.
        if "predicate" in header and len(row) == len(header):
            predicate = row[header.index("predicate")]
            row = [cell for cell, column in zip(row, header, strict=True) if column in ("text", "curie")]
        identifiers = {cell: id for cell in row[:6] if (id := identifier_of(cell))}
        if not identifiers:
            continue
        held = names.setdefault((tuple(dict.fromkeys(identifiers.values())), predicate), {})
        for cell in row:
            if cell in identifiers or ":" in cell[:12]:
                continue
            for name in map(tidy, cell.split(" | ")):
                if len(name) > 1 and not name.replace("-", "").isdigit():
                    held[name] = None
    groups = [(ids, tuple(held)) for (ids, _), held in names.items() if 0 < len(held) <= _MOST_NAMES]
    if not groups:
        raise ResourceError(f"{path} has no names with identifiers; it must be a TSV of identifier and name")
    return groups


def read_crossrefs(paths: Sequence[Path]) -> dict[str, set[str]]:
    """The MeSH ids that the files map each identifier of another name space to.

    A row has a MeSH id and another identifier, or the name space, id and label of both.
    """
    mapped: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for row in _rows(path):
            ids = list(_crossref_ids(row))
            mesh = [id for id in ids if id.startswith(PREFIX)]
            for other in ids:
                if mesh and not other.startswith(PREFIX):
                    mapped[other].add(mesh[0])
    return mapped


def certain_pairs(paths: Sequence[Path], preferred_names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """(identifier, MeSH id) of the files for `SHOWN_NAMESPACES`, where each is mapped to only one of the other.

    Of several MeSH ids with one identifier, that whose preferred name is the label of the identifier is taken, if it is
    the only one. `preferred_names`: those of the MeSH ids.
    """
    mapped: dict[str, set[str]] = defaultdict(set)
    labels: dict[str, str] = {}
    for path in paths:
        for row in _rows(path):
            ids = sorted(_crossref_ids(row), key=lambda id: id.startswith(PREFIX))
            if len(ids) == 2 and ids[1].startswith(PREFIX) and namespace_of(ids[0]) in SHOWN_NAMESPACES:
                mapped[ids[0]].add(ids[1])
                labels[ids[0]] = row[-1]
    pairs = []
    for other, concepts in mapped.items():
        named = [id for id in concepts if relaxed(preferred_names.get(id, "")) == relaxed(labels[other])]
        chosen = sorted(concepts) if len(concepts) == 1 else named
        if len(chosen) == 1:
            pairs.append((other, chosen[0]))
    several = Counter((id, namespace_of(other)) for other, id in pairs)
    yield from ((other, id) for other, id in pairs if several[id, namespace_of(other)] == 1)


def namespace_of(identifier: str) -> str:
    """The name space of an identifier: `CHEBI` of `CHEBI:15377`."""
    return identifier.partition(":")[0]


def _crossref_ids(row: Sequence[str]) -> Iterator[str]:
    if len(row) >= 6 and row[0].isupper() and row[3].isupper() and not row[3].isdigit():
        for namespace, cell in ((row[0], row[1]), (row[3], row[4])):
            identifier = identifier_of(cell, namespace)
            if identifier:
                yield identifier
        return
    yield from filter(None, map(identifier_of, row))


def join_groups(
    groups: Iterable[NameGroup], crossrefs: Mapping[str, set[str]], labels: Mapping[str, set[str]]
) -> list[tuple[str, str]]:
    """(name, MeSH id) for each name of the groups that are one MeSH concept, sorted.

    A group is joined by its own MeSH id, or by a cross-reference to exactly one MeSH id, or by a name that is the
    preferred name of exactly one MeSH concept (`labels`: relaxed key of preferred names -> ids).
    """
    joined: set[tuple[str, str]] = set()
    for identifiers, names in groups:
        of_mesh = [identifier for identifier in identifiers if identifier.startswith(PREFIX)]
        mapped = [crossrefs[identifier] for identifier in identifiers if identifier in crossrefs]
        if of_mesh:
            concepts = {of_mesh[0]}
        elif mapped:
            concepts = next((ids for ids in mapped if len(ids) == 1), set())
        else:
            concepts = {id for name in names for id in labels.get(relaxed(name), ())}
        if len(concepts) == 1:
            joined.update((name, concept) for name in names for concept in concepts)
    return sorted(joined)


def _rows(path: Path) -> Iterator[list[str]]:
    try:
        with opened(path) as lines:
            is_csv = path.name.removesuffix(".gz").endswith(".csv")
            rows = csv.reader(lines) if is_csv else (line.rstrip("\r\n").split("\t") for line in lines)
            yield from ([cell.strip() for cell in row] for row in rows)
    except FileNotFoundError as error:
        raise ResourceError(f"no file of names at {path}") from error
    except (OSError, EOFError, UnicodeDecodeError, csv.Error, zlib.error) as error:
        raise ResourceError(f"the file of names {path} cannot be read ({error}); fetch it again") from error


# -- annotated corpora --------------------------------------------------------------------------


def agreed_names(source: Path | Iterable[BioCDocument]) -> Iterator[tuple[str, str, int]]:
    """(surface, ids joined by `,`, number of articles) of the chemical mentions that the articles agree on, sorted.

    `source`: a file or folder that `corpora.read` can read, or documents. Each surface with the same ids counts once in
    an article.
    """
    articles: dict[str, Counter[str]] = defaultdict(Counter)
    for document in corpora.read([str(source)]) if isinstance(source, Path) else source:
        for text, ids in {(tidy(one.text), ",".join(mesh_ids(one.identifiers))) for one in mentions(document)}:
            if text and ids:
                articles[text][ids] += 1
    for text, counts in sorted(articles.items()):
        ids, count = max(counts.items(), key=lambda item: (item[1], item[0]))
        if count >= AGREEMENT * counts.total() and len(text) >= CASED:
            yield text, ids, count
