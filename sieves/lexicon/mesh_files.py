"""NLM's yearly MeSH files: descriptors (`descYYYY`) and supplementary concept records (`suppYYYY`), XML, plain or gzip.

Records are read one at a time, so memory does not grow with the file. Source: NLM, "MeSH XML data elements",
https://www.nlm.nih.gov/mesh/xml_data_elements.html.
"""

from __future__ import annotations

import gzip
import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import IO, Any

from lxml import etree

from corpora.errors import InputError, ResourceError, command
from corpora.model.mesh_ids import PREFIX
from corpora.parsing.safe_xml import PARSER_OPTIONS, refuse_entities
from sieves.lexicon.further_names import identifier_of
from sieves.lexicon.keys import tidy
from sieves.lexicon.store import MESH, TRADE

_STORED = (
    " UNION ALL ".join(
        f"""
SELECT concept.id, concept.preferred_name, concept.trees, concept.parents, name.name, layer.name
FROM {table} AS name JOIN layer ON layer.rank = name.layer JOIN concept ON concept.row = name.concept
WHERE layer.name IN (?1, ?2)"""
        for table in ("name", "elsewhere")
    )
    + " ORDER BY 1, 6, 5"
)

_HEAD = 65536
_WAY_OUT = "fetch the file again"
_CHUNK = 1 << 18
_MAX_RECORD = 1 << 22
"""Bytes of a record, or between two records. Compressed elements without a record would fill the memory."""

_KINDS = {
    "DescriptorRecord": ("DescriptorUI", "DescriptorName", "D"),
    "SupplementalRecord": ("SupplementalRecordUI", "SupplementalRecordName", "C"),
}


@dataclass(frozen=True, slots=True)
class Term:
    """A name of a record."""

    name: str
    preferred: bool = False
    """Whether it is the name of one of the concepts of the record."""
    trade: bool = False
    """Whether it is a trade name."""


@dataclass(frozen=True, slots=True)
class MeshRecord:
    """A descriptor or a supplementary concept record; ids as `MESH:D014867`."""

    identifier: str
    name: str
    terms: tuple[Term, ...]
    trees: tuple[str, ...] = ()
    mapped_to: tuple[str, ...] = ()
    registry: tuple[str, ...] = ()
    """The CAS numbers and UNII codes that it states, as `CAS:50-00-0`."""

    @property
    def supplementary(self) -> bool:
        return self.identifier.startswith(f"{PREFIX}C")


def read_records(path: Path) -> Iterator[MeshRecord]:
    """The records of a file, in its order.

    Raises `ResourceError` if the file is missing, broken or cut off, if it has no MeSH records, or if a record has no
    id, two ids, or the id of an earlier record.
    """
    seen: set[str] = set()
    try:
        with path.open("rb") as raw:
            magic = raw.read(2)
            raw.seek(0)
            stream: Any = gzip.GzipFile(fileobj=raw) if magic == b"\x1f\x8b" else raw
            for element in _elements(stream):
                record = _record(element, path)
                if record.identifier in seen:
                    raise ResourceError(f"{path} has two records {record.identifier}; {_WAY_OUT}")
                seen.add(record.identifier)
                yield record
    except FileNotFoundError as error:
        raise ResourceError(f"no MeSH file at {path}; fetch it with {command('fetch mesh')}") from error
    except (OSError, EOFError, zlib.error) as error:
        raise ResourceError(f"the MeSH file {path} is cut off or cannot be read ({error}); {_WAY_OUT}") from error
    except etree.XMLSyntaxError as error:
        raise ResourceError(f"the MeSH file {path} is broken or cut off ({error.msg}); {_WAY_OUT}") from error
    except InputError as error:
        raise ResourceError(f"{path}: {error}") from error
    if not seen:
        raise ResourceError(f"{path} has no MeSH records; give a descYYYY.xml or suppYYYY.xml of NLM")


def read_lexicon(connection: sqlite3.Connection) -> tuple[str, Iterator[MeshRecord]]:
    """The year and the records of MeSH in a lexicon of `sieves.lexicon.mesh_builder`, by identifier.

    Names in the order of running text are left out: they are made of the others. `mapped_to` of a descriptor are the
    headings above it.
    """

    def records() -> Iterator[MeshRecord]:
        rows = connection.execute(_STORED, (MESH, TRADE))
        for (identifier, name, trees, parents), names in groupby(rows, key=lambda row: row[:4]):
            terms = tuple(Term(term, trade=layer == TRADE) for *_, term, layer in names)
            yield MeshRecord(identifier, name, terms, tuple(trees.split()), tuple(parents.split()))

    return connection.execute("SELECT value FROM meta WHERE key = 'year'").fetchone()[0], records()


def read_listings(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """The identifiers that each year lists, in a lexicon of `sieves.lexicon.mesh_builder`."""
    (years,) = connection.execute("SELECT value FROM meta WHERE key = 'listings'").fetchone() or ("",)
    query = "SELECT id FROM concept WHERE listed & ?1 UNION ALL SELECT id FROM nameless WHERE listed & ?1"
    return {
        year: [identifier for (identifier,) in connection.execute(query, (1 << number,))]
        for number, year in enumerate(years.split())
    }


def _elements(stream: IO[bytes]) -> Iterator[Any]:
    """Record elements; each is cleared when the next one is read."""
    head = stream.read(_HEAD)
    refuse_entities(head)
    # A pull parser, so that the beginning of the file can be checked before it is parsed.
    parser = etree.XMLPullParser(events=("end",), tag=tuple(_KINDS), **PARSER_OPTIONS)
    chunk = head
    since = 0
    while chunk:
        parser.feed(chunk)
        since += len(chunk)
        for _, element in parser.read_events():
            since = 0
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
        if since > _MAX_RECORD:
            raise InputError(f"no record ends within {_MAX_RECORD >> 20} MB, so it is not a MeSH file; {_WAY_OUT}")
        chunk = stream.read(_CHUNK)
    parser.close()


def _record(element: Any, path: Path) -> MeshRecord:
    id_tag, name_tag, letter = _KINDS[element.tag]
    ids = [str(child.text or "").strip() for child in element.findall(id_tag)]
    if len(ids) != 1 or not ids[0].startswith(letter) or not ids[0][1:].isdecimal():
        raise ResourceError(
            f"{path}, line {element.sourceline}: a record must have one {id_tag} such as {letter}000001, "
            f"this one has {', '.join(map(repr, ids)) or 'none'}; {_WAY_OUT}"
        )
    name = tidy(element.findtext(f"{name_tag}/String") or "")
    if not name:
        raise ResourceError(f"{path}, line {element.sourceline}: {ids[0]} has no name; {_WAY_OUT}")
    terms = [
        Term(text, term.get("ConceptPreferredTermYN") == "Y", term.get("LexicalTag") == "TRD")
        for term in element.iterfind("ConceptList/Concept/TermList/Term")
        if (text := tidy(term.findtext("String") or ""))
    ]
    # Related registry numbers have a name after them: `64-17-5 (Ethanol)`.
    numbers = [
        identifier_of((number.text or "").partition(" (")[0].strip()) or ""
        for number in element.iter("RegistryNumber", "RelatedRegistryNumber")
    ]
    # NLM marks the main headings that a supplementary record maps to by `*`.
    headings = element.iterfind("HeadingMappedToList/HeadingMappedTo/DescriptorReferredTo/DescriptorUI")
    return MeshRecord(
        PREFIX + ids[0],
        name,
        tuple(terms),
        tuple(tree.text.strip() for tree in element.iterfind("TreeNumberList/TreeNumber") if tree.text),
        tuple(PREFIX + heading.text.strip().lstrip("*") for heading in headings if heading.text),
        tuple(dict.fromkeys(number for number in numbers if number.startswith(("CAS:", "UNII:")))),
    )
