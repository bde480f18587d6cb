"""A small MeSH of our own writing, in the form of NLM's XML files; ids and trees are invented."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = [
    "DESCRIPTORS",
    "SUPPLEMENTS",
    "descriptor",
    "supplement",
    "write_descriptors",
    "write_mesh",
    "write_supplements",
]


def _concepts(names: Iterable[str], registry: str = "") -> str:
    terms = "".join(
        f'<Term ConceptPreferredTermYN="{"Y" if n == 0 else "N"}" IsPermutedTermYN="N" LexicalTag="NON" '
        f'RecordPreferredTermYN="{"Y" if n == 0 else "N"}">'
        f"<TermUI>T{n:06}</TermUI><String>{escape(name)}</String></Term>"
        for n, name in enumerate(names)
    )
    return (
        f'<ConceptList><Concept PreferredConceptYN="Y">{registry}<TermList>{terms}</TermList></Concept></ConceptList>'
    )


def descriptor(id: str, names: str, trees: str = "D02.1", registry: str = "") -> str:
    """A descriptor record; `names` are joined by `|`, the first is the record's. `registry`: XML with its numbers."""
    first, *_ = known = names.split("|")
    numbers = "".join(f"<TreeNumber>{tree}</TreeNumber>" for tree in trees.split())
    listed = f"<TreeNumberList>{numbers}</TreeNumberList>" if trees else ""
    return (
        f'<DescriptorRecord DescriptorClass="1"><DescriptorUI>{id}</DescriptorUI>'
        f"<DescriptorName><String>{escape(first)}"
        f"</String></DescriptorName>{listed}{_concepts(known, registry)}</DescriptorRecord>"
    )


def supplement(id: str, names: str, headings: str = "D000001") -> str:
    """A supplementary concept record that maps to `headings`."""
    first, *_ = known = names.split("|")
    mapped = "".join(
        f"<HeadingMappedTo><DescriptorReferredTo><DescriptorUI>*{heading}</DescriptorUI></DescriptorReferredTo>"
        "</HeadingMappedTo>"
        for heading in headings.split()
    )
    return (
        f'<SupplementalRecord SCRClass="1"><SupplementalRecordUI>{id}</SupplementalRecordUI><SupplementalRecordName>'
        f"<String>{escape(first)}</String></SupplementalRecordName><HeadingMappedToList>{mapped}</HeadingMappedToList>"
        f"{_concepts(known)}</SupplementalRecord>"
    )


DESCRIPTORS = (
    descriptor("D000001", "Alcohols|Alcohol Compounds", "D02.033"),
    descriptor("D000002", "Ethanol|Alcohol, Ethyl|Grain Spirit", "D02.033.375"),
    descriptor("D000003", "Vitamin A|Retinol", "D02.455"),
    descriptor("D000004", "Ascorbic Acid|Vitamin C", "D09.811"),
    descriptor("D000005", "Linoleic Acid|Linoleic Acids", "D10.251"),
    descriptor("D000006", "Linolenic Acid|alpha-Linolenic Acid", "D10.252"),
    descriptor("D000007", "Calcium", "D01.268"),
    descriptor("D000008", "Sodium Chloride|Table Salt", "D01.210"),
    descriptor("D000009", "Chlorides", "D01.211"),
    descriptor("D000010", "Docosahexaenoic Acids|Docosahexaenoic Acid", "D10.627"),
    descriptor("D000011", "Arginine|L-Arginine", "D12.125.095"),
    descriptor("D000012", "Insulin|Wonderin", "D06.472.699"),
    descriptor("D000013", "Abattoirs", "J01.576"),
    descriptor("D000014", "Lipids", ""),
    descriptor("D000015", "Promotol|Promotine", "D03.1"),
    descriptor("D000016", "Tritium", "D01.362"),
    descriptor("D000017", "Dopamine|beta-Hydroxytyramine", "D02.092"),
    descriptor("D000018", "Waxes", "D10.900"),
    descriptor("D000019", "Estradiol|17beta-Oestradiol", "D04.210"),
    descriptor("D000020", "Serine", "D12.125.740"),
)
SUPPLEMENTS = (
    supplement("C000001", "promotol", "D000001"),
    supplement("C000002", "benzoic acid, 4-hydroxy-|parabenic acid", "D000001"),
    supplement("C000003", "wonderin", "D000012"),
    supplement("C000004", "slaughterin", "D000013"),
    supplement("C000005", "2-chloro-4-methyl-6-nitropyridine", "D000001"),
    supplement("C000006", "salbutidol", "D000001 D000005"),
)
PARENTS = {
    **{f"MESH:D{n:06}": [] for n in range(1, 21) if n not in (15,)},
    "MESH:D000002": ["MESH:D000001"],
    "MESH:D000010": ["MESH:D000014"],
    "MESH:D000018": ["MESH:D000014"],
    **{f"MESH:C{n:06}": ["MESH:D000001"] for n in range(1, 7)},
}
"""MeSH of 2020: Promotol was a supplementary record then."""


def write_descriptors(path: Path, records: Iterable[str] = DESCRIPTORS) -> Path:
    text = f'<?xml version="1.0"?><DescriptorRecordSet LanguageCode="eng">{"".join(records)}</DescriptorRecordSet>'
    return _write(path, text)


def write_supplements(path: Path, records: Iterable[str] = SUPPLEMENTS) -> Path:
    text = f'<?xml version="1.0"?><SupplementalRecordSet LanguageCode="eng">{"".join(records)}</SupplementalRecordSet>'
    return _write(path, text)


def write_mesh(folder: Path) -> tuple[Path, Path, Path]:
    """The descriptors, the supplementary records and the parents of 2020 as files."""
    parents = folder / "parents_2020.json"
    parents.write_text(json.dumps(PARENTS), "utf-8")
    return write_descriptors(folder / "desc2024.xml"), write_supplements(folder / "supp2024.xml.gz"), parents


def _write(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path
