"""Formats of exchange with other annotators: their entries, which pyproject.toml registers as `nlmchem.formats`."""

from __future__ import annotations

from corpora.formats.format import Format

_ROOM = __name__

PUBANNOTATION = Format(
    "pubannotation", "PubAnnotation", (".pubannotation.json",), f"{_ROOM}.pubannotation:READER",
    f"{_ROOM}.pubannotation:WRITER", tried_first=True, after="hf",
)  # fmt: skip
EUROPEPMC = Format(
    "europepmc", "lines for Europe PMC", (".europepmc.jsonl",), None, f"{_ROOM}.europepmc:WRITER",
    after="pubannotation",
)  # fmt: skip
