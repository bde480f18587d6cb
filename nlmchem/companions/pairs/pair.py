"""Word-in-context pairs: two terms, each in its sentence, and whether they mean the same. Files of pairs.

Files are the JSON of BioWiC (Rouhizadeh et al. 2024, Scientific Data 11:455), or JSON lines that also have the articles
and the concepts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpora.datasets.cards import read_card
from corpora.datasets.registry import Files, read_text, streams
from corpora.errors import DAMAGE, ConfigurationError, InputError, damage
from corpora.model.document import Span
from corpora.reporting import Report
from corpora.storage.inputs import expand
from corpora.storage.members import members
from corpora.words.quantities import quantity

GROUPS = ("term_identity", "abbreviations", "synonyms", "label_similarity")
"""The four groups of pairs in BioWiC, as named in its files."""
CARD = read_card(Path(__file__).with_name("biowic.json"))
RESOURCES = read_card(Path(__file__).with_name("biowic_resources.json"))


@dataclass(frozen=True, slots=True)
class ContextPair:
    """Two terms, each in its sentence. Spans count code points in the sentence."""

    term1: str
    term2: str
    sentence1: str
    sentence2: str
    span1: Span
    span2: Span
    group: str
    same: bool | None
    """Whether the meanings are equal; None if the pair has no answer."""
    id: str = ""
    """Unique in a file; "" in BioWiC."""
    documents: tuple[str, str] = ("", "")
    """The articles of the sentences; "" if they are unknown."""
    places: tuple[int, int] = (-1, -1)
    """The offsets of the terms in the articles (code points); -1 if they are unknown."""
    concepts: tuple[str, str] = ("", "")
    """The identifiers from which the answer follows. A solver must not read them."""

    def counts(self) -> dict[str, int]:
        """What `nlmchem corpora stats` adds up."""
        return {"pairs": 1, f"{self.group}.{'same' if self.same else 'different'}": 1}

    @property
    def fault(self) -> str | None:
        """Why a term is not at its span in its sentence; None if both are."""
        sides = (self.term1, self.sentence1, self.span1), (self.term2, self.sentence2, self.span2)
        for term, sentence, (start, end) in sides:
            text = sentence[max(0, start) : max(0, end)]
            if text != term or not term:
                return f"the term {term!r} is not at {start}..{end} of its sentence, where the text is {text!r}"
        return "the span of a term is negative" if min(self.span1[0], self.span2[0]) < 0 else None


def name_of(term: str) -> str:
    """The name that is equal for equal terms. In BioWiC, `hematoma` and `hematomas` are equal."""
    folded = " ".join(term.casefold().split())
    return folded[:-1] if len(folded) > 3 and folded.endswith("s") and not folded.endswith("ss") else folded


def clusters(pairs: Sequence[ContextPair], by_concept: bool = False) -> NDArray[np.int64]:
    """The number of the group of each pair. Pairs that share a sentence or a term are in one group.

    `by_concept`: pairs that share a known concept, too.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for pair in pairs:
        keys = [f"t{name_of(pair.term1)}", f"t{name_of(pair.term2)}", f"s{pair.sentence1}", f"s{pair.sentence2}"]
        keys += [f"c{concept}" for concept in pair.concepts if concept and by_concept]
        for key in keys[1:]:
            parent[root(key)] = root(keys[0])
    numbers: dict[str, int] = {}
    cluster_numbers = [numbers.setdefault(root(f"t{name_of(pair.term1)}"), len(numbers)) for pair in pairs]
    return np.array(cluster_numbers, dtype=np.int64)


def read_pairs(source: str) -> list[ContextPair]:
    """The pairs of one file, which may be compressed, or of `-` (standard input).

    Raises `ConfigurationError` if there is not exactly one file, and `InputError` if it cannot be read.
    """
    return list(parse(*_text_of(source)))


def read_rows(source: str) -> Iterator[tuple[Any, str]]:
    """The values of one file of JSON lines or of a JSON list, each with its place. Raises as `read_pairs` does."""
    yield from _rows(*_text_of(source))


def read_biowic(files: Files, report: Report) -> Iterator[ContextPair]:
    """The pairs of BioWiC. A pair with a term that is not at its span is left out and reported."""
    for entry, stream in streams(files["pairs"]):
        for number, pair in enumerate(parse(read_text(stream, entry), entry), 1):
            if pair.fault is None:
                yield pair
            else:
                report(f"{entry}, pair {number} was left out: a term is not at its span")


def parse(text: str, where: object) -> Iterator[ContextPair]:
    """The pairs of a JSON list or of JSON lines. `where`: the file, for messages.

    A pair without id gets its number, from 1. Raises `InputError` for broken JSON, for a row that is not a pair, and
    for an id that occurs twice. Whether a term is at its span is not checked (`ContextPair.fault`).
    """
    seen: set[str] = set()
    for number, (row, place) in enumerate(_rows(text, where), 1):
        if not isinstance(row, dict):
            raise InputError(f"{place}: a JSON object is expected for each pair; get the file again")
        try:
            pair = _pair(row, number)
        except KeyError as error:
            raise InputError(f"{place}: the pair has no {error.args[0]}; get the file again") from error
        except DAMAGE as error:
            raise InputError(f"{place}: not a pair of BioWiC ({damage(error)}); get the file again") from error
        if pair.id in seen:
            raise InputError(f"{place}: the id {pair.id!r} occurs twice; give each pair its own id")
        seen.add(pair.id)
        yield pair


def _pair(row: dict[str, Any], number: int) -> ContextPair:
    """A pair from an object with the keys of BioWiC. Raises `KeyError` and errors of `DAMAGE`."""
    texts = [row[key] for key in ("term1", "term2", "sentence1", "sentence2")] + [row.get("cat", "")]
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"{text!r} is not a text")
    (start1, end1), (start2, end2) = ((int(row[f"start{side}"]), int(row[f"end{side}"])) for side in (1, 2))
    label = row.get("label")
    if label not in (None, 0, 1, "0", "1"):
        raise ValueError(f"the label is {label!r}, not 0 or 1")
    same = None if label is None else label in (1, "1")
    documents = str(row.get("document1", "")), str(row.get("document2", ""))
    places = int(row.get("place1", -1)), int(row.get("place2", -1))
    concepts = str(row.get("concept1", "")), str(row.get("concept2", ""))
    term1, term2, sentence1, sentence2, group = texts
    spans = (start1, end1), (start2, end2)
    id = str(row.get("id", number))
    return ContextPair(term1, term2, sentence1, sentence2, *spans, group, same, id, documents, places, concepts)


def dumps(pairs: Iterable[ContextPair]) -> bytes:
    """Pairs as JSON of BioWiC, in UTF-8."""
    rows = [_plain(pair) for pair in pairs]
    return (json.dumps(rows, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def dumps_lines(pairs: Iterable[ContextPair]) -> bytes:
    """Pairs as JSON lines, in UTF-8: the keys of BioWiC, and `id`, `document1`, `place1`, `concept1`, ..."""
    lines = []
    for pair in pairs:
        row = {"id": pair.id, **_plain(pair)}
        for number, document, place, concept in zip((1, 2), pair.documents, pair.places, pair.concepts, strict=True):
            row |= {f"document{number}": document, f"place{number}": place} if document else {}
            row |= {f"concept{number}": concept} if concept else {}
        lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    return "".join(lines).encode("utf-8", "replace")


def _plain(pair: ContextPair) -> dict[str, Any]:
    (start1, end1), (start2, end2) = pair.span1, pair.span2
    row: dict[str, Any] = {"term1": pair.term1, "term2": pair.term2}
    row |= {"sentence1": pair.sentence1, "sentence2": pair.sentence2}
    row |= {"start1": start1, "start2": start2, "end1": end1, "end2": end2, "cat": pair.group}
    return row if pair.same is None else {**row, "label": int(pair.same)}


def _text_of(source: str) -> tuple[str, str]:
    """The text of one file, and its name."""
    texts: list[tuple[str, str]] = []
    for member, stream in (opened for file in expand([source]) for opened in members(file)):
        if member.fault is not None:
            raise InputError(f"{member}: {member.fault}")
        texts.append((read_text(stream, member), str(member)))
    if len(texts) != 1:
        raise ConfigurationError(f"{source} has {quantity(len(texts), 'file')}; give one file")
    return texts[0]


def _rows(text: str, where: object) -> Iterator[tuple[Any, str]]:
    """The rows of a JSON list or of JSON lines, each with its place."""

    def load(part: str, place: str) -> Any:
        try:
            return json.loads(part)
        except DAMAGE as error:
            raise InputError(f"{place}: the JSON is broken or cut off ({damage(error)}); get the file again") from error

    if text.lstrip().startswith("["):
        yield from ((row, f"{where}, pair {number}") for number, row in enumerate(load(text, str(where)), 1))
        return
    # Only `\n` ends a line: sentences may have other separators of lines.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield load(line, f"{where}, line {number}"), f"{where}, line {number}"
