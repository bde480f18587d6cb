"""Acronym corpora: SciAI (tagged sentences), SciAD, GLADIS and UAD (samples with a dictionary)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from corpora.datasets.registry import Files, read_text, streams
from corpora.errors import DAMAGE, InputError, damage, shortened
from corpora.reporting import Report
from corpora.storage.members import Member
from corpora.words.quantities import quantity

MASK = "__ABB__"
"""The token that replaces the acronym in the sentences of UAD."""


@dataclass(frozen=True, slots=True)
class AcronymSentence:
    """A sentence with a label for each token: `B-short`, `I-short`, `B-long`, `I-long` or `O`."""

    id: str
    tokens: tuple[str, ...]
    labels: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """What `nlmchem corpora stats` adds up."""
        begins = {"short_forms": "B-short", "long_forms": "B-long"}
        return {"sentences": 1, **{name: self.labels.count(label) for name, label in begins.items()}}


@dataclass(frozen=True, slots=True)
class AcronymSense:
    """A long form of an acronym. `popularity`: how often it occurred (1 if unknown)."""

    long_form: str
    popularity: int = 1


@dataclass(frozen=True, slots=True)
class AcronymSample:
    """An acronym in a sentence, with its long form there.

    `position`: index of the acronym's token. `masked`: whether that token is a mask instead of the acronym.
    `candidates`: the long forms in the dictionary; empty if the samples have no dictionary.
    """

    id: str
    tokens: tuple[str, ...]
    position: int
    short_form: str
    long_form: str
    candidates: tuple[AcronymSense, ...] = ()
    masked: bool = False


Dictionary = Mapping[str, tuple[AcronymSense, ...]]
"""Long forms by short form, in the order of the file."""


def read_sciai(files: Files, report: Report) -> Iterator[AcronymSentence]:
    """SciAI: JSON (`tokens`, `labels`), or CSV with tokens and labels joined by blanks."""
    for entry, stream in streams(files["sentences"]):
        text = read_text(stream, entry)
        rows: Iterable[Mapping[str, Any]]
        if text.lstrip().startswith("["):
            rows = _json(text, entry)
        else:
            table = csv.DictReader(io.StringIO(text, newline=""))
            rows = (
                {
                    "id": row.get("id"),
                    "tokens": (row.get("sentence") or "").split(" "),
                    "labels": (row.get("labels") or "").split(" "),
                }
                for row in table
            )
        for row in rows:
            yield _sentence(row, entry)


def read_sciad(files: Files, report: Report) -> Iterator[AcronymSample]:
    """SciAD: JSON samples with the position of the acronym, and a dictionary of long forms."""
    dictionary = _dictionary(files)
    for entry, stream in streams(files["samples"]):
        for row in _json(read_text(stream, entry), entry):
            yield _sample(row, row.get("acronym"), row.get("expansion"), None, dictionary, entry)


def read_gladis(files: Files, report: Report) -> Iterator[AcronymSample]:
    """GLADIS and UAD: JSON lines with short and long form.

    In GLADIS, `index` is the position of the acronym. In UAD, it is the number of the sample, and the token is `MASK`.
    """
    dictionary = _dictionary(files)
    for entry, stream in streams(files["samples"]):
        for number, line in enumerate(read_text(stream, entry).split("\n"), 1):
            if not line.strip():
                continue
            where = f"{entry}, line {number}"
            row = _json_value(line, where)
            if not isinstance(row, dict):
                raise InputError(f"{where}: a JSON object is expected; get the file again")
            row.setdefault("id", str(number))
            tokens = _texts(row.get("tokens"), "tokens", where)
            position = tokens.index(MASK) if MASK in tokens else row.get("index")
            yield _sample(row, position, row.get("long_term"), row.get("short_term"), dictionary, entry)


def read_dictionary(text: str, where: object) -> Dictionary:
    """A published dictionary: `{"SVM": ["support vector machine"]}`, or pairs of long form and popularity."""
    value = _json_value(text, where)
    try:
        return {
            str(short): tuple(AcronymSense(long) if isinstance(long, str) else AcronymSense(*long) for long in longs)
            for short, longs in value.items()
        }
    except DAMAGE as error:
        raise InputError(f"{where}: not an acronym dictionary ({damage(error)}); get the file again") from error


def _dictionary(files: Files) -> Dictionary:
    merged: dict[str, tuple[AcronymSense, ...]] = {}
    for entry, stream in streams(files["dictionary"]):
        merged.update(read_dictionary(read_text(stream, entry), entry))
    return merged


def _sentence(row: Mapping[str, Any], entry: Member) -> AcronymSentence:
    try:
        identifier = str(row["id"])
        where = f"{entry}: sentence {shortened(identifier)}"
        tokens, labels = (_texts(row[key], key, where) for key in ("tokens", "labels"))
    except KeyError as error:
        raise InputError(f"{entry}: a sentence has no {error}; get the file again") from error
    if len(tokens) != len(labels):
        differing = f"{quantity(len(tokens), 'token')}, but {quantity(len(labels), 'label')}"
        raise InputError(f"{entry}: sentence {identifier} has {differing}; get the file again")
    return AcronymSentence(identifier, tokens, labels)


def _texts(values: Any, what: str, where: str) -> tuple[str, ...]:
    """A list of texts of a row; none where the row lacks it. Raises `InputError` for anything else."""
    if values is not None and not isinstance(values, list):
        raise InputError(f"{where}: {what} is {shortened(repr(values))}, not a list of texts; correct it")
    return tuple(_text(value, what, where) for value in values or ())


def _text(value: Any, what: str, where: str) -> str:
    """A text of a row. Raises `InputError` for another value, or half a character, which no encoder accepts."""
    if not isinstance(value, str) or value != value.encode("utf-8", "replace").decode("utf-8"):
        raise InputError(f"{where}: {what} contains {shortened(repr(value))}, which is not text; correct it")
    return value


def _sample(
    row: Mapping[str, Any], position: Any, long: Any, short: Any, dictionary: Dictionary, entry: Member
) -> AcronymSample:
    identifier = shortened(str(row.get("id", "")))
    where = f"{entry}: sample {identifier}"
    tokens = _texts(row.get("tokens"), "tokens", where)
    if not isinstance(position, int) or not 0 <= position < len(tokens):
        raise InputError(f"{where} has no token at {shortened(repr(position))}; get the file again")
    token = tokens[position]
    name = _text(short or token, "the short form", where)
    # The test parts of SciAD have no long forms.
    long_form = _text(long or "", "the long form", where)
    return AcronymSample(identifier, tokens, position, name, long_form, dictionary.get(name, ()), token != name)


def _json(text: str, where: object) -> list[dict[str, Any]]:
    value = _json_value(text, where)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{where}: a JSON list of objects is expected; get the file again")
    return value


def _json_value(text: str, where: object) -> Any:
    try:
        return json.loads(text)
    except DAMAGE as error:
        raise InputError(f"{where}: the JSON is broken ({damage(error)}); get the file again") from error
