"""Readers of acronym corpora: SciAI (tagged sentences), SciAD, GLADIS and UAD (samples with a dictionary)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from typing import Any

from corpora.datasets.corpus_files import read_text, streams
from corpora.datasets.registry import Files
from corpora.datasets.samples import AcronymSample, AcronymSense, AcronymSentence
from corpora.errors import DAMAGE, InputError, damage, shortened
from corpora.reporting import Report
from corpora.storage.members import Member
from corpora.words.quantities import quantity

MASK = "__ABB__"
"""The token that replaces the acronym in the sentences of UAD."""

Dictionary = Mapping[str, tuple[AcronymSense, ...]]
"""Long forms by short form, in the order of the file."""


def read_sciai(files: Files, report: Report) -> Iterator[AcronymSentence]:
    """SciAI: JSON (`tokens`, `labels`), or CSV with tokens and labels joined by blanks."""
    for entry, stream in streams(files["sentences"]):
        text = read_text(stream, entry)
        rows = _json(text, entry) if text.lstrip().startswith("[") else _csv(text)
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
            row = _object(line, f"{entry}, line {number}")
            row.setdefault("id", str(number))
            tokens = _texts(row.get("tokens"), "tokens", f"{entry}, line {number}")
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


def _csv(text: str) -> Iterator[dict[str, Any]]:
    for row in csv.DictReader(io.StringIO(text, newline="")):
        labels, sentence = row.get("labels"), row.get("sentence")
        yield {"id": row.get("id"), "tokens": (sentence or "").split(" "), "labels": (labels or "").split(" ")}


def _json(text: str, where: object) -> list[dict[str, Any]]:
    value = _json_value(text, where)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{where}: a JSON list of objects is expected; get the file again")
    return value


def _object(line: str, where: str) -> dict[str, Any]:
    value = _json_value(line, where)
    if not isinstance(value, dict):
        raise InputError(f"{where}: a JSON object is expected; get the file again")
    return value


def _json_value(text: str, where: object) -> Any:
    try:
        return json.loads(text)
    except DAMAGE as error:
        raise InputError(f"{where}: the JSON is broken ({damage(error)}); get the file again") from error
