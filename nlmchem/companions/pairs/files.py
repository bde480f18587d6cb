"""Files of pairs: the JSON of BioWiC, and JSON lines that also have the articles and the concepts.

Source of the JSON: Rouhizadeh et al. 2024, Scientific Data 11:455.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from corpora.errors import DAMAGE, ConfigurationError, InputError, damage
from corpora.model.document import Span
from corpora.storage.inputs import InputFile, expand
from corpora.storage.members import members
from corpora.storage.packed_streams import READ_FAULTS
from corpora.words.quantities import quantity
from nlmchem.companions.pairs.pair import ContextPair


def parse(text: str, where: object) -> Iterator[ContextPair]:
    """The pairs of a JSON list or of JSON lines. `where`: the file, for messages.

    A pair without id gets its number, from 1. Raises `InputError` for broken JSON, for a row that is not a pair, and
    for an id that occurs twice. Whether a term is at its span is not checked (`ContextPair.is_in_place`).
    """
    seen: set[str] = set()
    for number, (row, place) in enumerate(_rows(text, where), 1):
        pair = pair_of(row, place, str(number))
        if pair.id in seen:
            raise InputError(f"{place}: the id {pair.id!r} occurs twice; give each pair its own id")
        seen.add(pair.id)
        yield pair


def read_pairs(source: str) -> list[ContextPair]:
    """The pairs of one file, which may be compressed, or of `-` (standard input).

    Raises `ConfigurationError` if there is not exactly one file, and `InputError` if it cannot be read.
    """
    return list(parse(*_text_of(source)))


def read_rows(source: str) -> Iterator[tuple[Any, str]]:
    """The values of one file of JSON lines or of a JSON list, each with its place. Raises as `read_pairs` does."""
    yield from _rows(*_text_of(source))


def _text_of(source: str) -> tuple[str, str]:
    """The text of one file, and its name."""
    texts = [opened for file in expand([source]) for opened in _texts(file)]
    if len(texts) != 1:
        raise ConfigurationError(f"{source} has {quantity(len(texts), 'file')}; give one file")
    return texts[0]


def _texts(file: InputFile) -> Iterator[tuple[str, str]]:
    for member, stream in members(file):
        if member.fault is not None:
            raise InputError(f"{member}: {member.fault}")
        try:
            yield stream.read().decode("utf-8-sig"), str(member)
        except READ_FAULTS as error:
            raise InputError(f"{member}: it cannot be read any further ({error}); get the file again") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{member}: byte {error.start} is not UTF-8; save the file as UTF-8") from error


def dumps(pairs: Iterable[ContextPair]) -> bytes:
    """Pairs as JSON of BioWiC, in UTF-8."""
    rows = [_plain(pair) for pair in pairs]
    return (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def dumps_lines(pairs: Iterable[ContextPair]) -> bytes:
    """Pairs as JSON lines, in UTF-8: the keys of BioWiC, and `id`, `document1`, `place1`, `concept1`, ..."""
    lines = []
    for pair in pairs:
        row = {"id": pair.id, **_plain(pair)}
        for number in (0, 1):
            if pair.documents[number]:
                row[f"document{number + 1}"] = pair.documents[number]
                row[f"place{number + 1}"] = pair.places[number]
            if pair.concepts[number]:
                row[f"concept{number + 1}"] = pair.concepts[number]
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode("utf-8", "replace")


def pair_of(row: object, where: object, id: str = "") -> ContextPair:
    """A pair from an object with the keys of BioWiC. `id`: the id of a pair without one. Raises `InputError`."""
    if not isinstance(row, dict):
        raise InputError(f"{where}: a JSON object is expected for each pair; get the file again")
    try:
        term1, term2, sentence1, sentence2 = (_text(row[key]) for key in ("term1", "term2", "sentence1", "sentence2"))
        return ContextPair(
            term1,
            term2,
            sentence1,
            sentence2,
            _span(row, 1),
            _span(row, 2),
            _text(row.get("cat", "")),
            _answer(row.get("label")),
            str(row.get("id", id)),
            (str(row.get("document1", "")), str(row.get("document2", ""))),
            (int(row.get("place1", -1)), int(row.get("place2", -1))),
            (str(row.get("concept1", "")), str(row.get("concept2", ""))),
        )
    except KeyError as error:
        raise InputError(f"{where}: the pair has no {error.args[0]}; get the file again") from error
    except DAMAGE as error:
        raise InputError(f"{where}: not a pair of BioWiC ({damage(error)}); get the file again") from error


def _plain(pair: ContextPair) -> dict[str, Any]:
    row: dict[str, Any] = {
        "term1": pair.term1,
        "term2": pair.term2,
        "sentence1": pair.sentence1,
        "sentence2": pair.sentence2,
        "start1": pair.span1[0],
        "start2": pair.span2[0],
        "end1": pair.span1[1],
        "end2": pair.span2[1],
        "cat": pair.group,
    }
    return row if pair.same is None else {**row, "label": int(pair.same)}


def _rows(text: str, where: object) -> Iterator[tuple[Any, str]]:
    """The rows, each with its place."""
    if text.lstrip().startswith("["):
        rows = _json(text, str(where))
        yield from ((row, f"{where}, pair {number}") for number, row in enumerate(rows, 1))
        return
    # Only `\n` ends a line: sentences may have other separators of lines.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            place = f"{where}, line {number}"
            yield _json(line, place), place


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except DAMAGE as error:
        raise InputError(f"{where}: the JSON is broken or cut off ({damage(error)}); get the file again") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a text")
    return value


def _span(row: Mapping[str, Any], number: int) -> Span:
    return int(row[f"start{number}"]), int(row[f"end{number}"])


def _answer(value: object) -> bool | None:
    if value is None:
        return None
    if value not in (0, 1, "0", "1"):
        raise ValueError(f"the label is {value!r}, not 0 or 1")
    return value in (1, "1")
