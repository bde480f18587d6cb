"""Submission files of the NLM-Chem track, and the check whether its scorer accepts a file.

A submission has the documents, passages, offsets and texts of the reference, in its order, and only annotations of the
task: mentions with `type` and `identifier` for identification, `MeSH_Indexing_Chemical` terms for indexing. The script
of the track drops mentions of length zero or outside their passage, and stops at a different text. Such submissions
are not written here.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from bioc import BioCDocument, BioCPassage

from corpora.errors import ArticleError, ConfigurationError, InputError, OptionError
from corpora.formats.format import Header
from corpora.model.alignment import layout, text_differences
from corpora.model.chemical import CHEMICAL, INDEX_TERM
from corpora.model.document import (
    IndexTerm,
    Mention,
    Span,
    add_index_terms,
    every_annotation,
    holders_of,
    index_terms,
    mentions,
)
from corpora.model.invariant import check
from corpora.model.mention_infons import add_plain_mention, stated_identifiers
from corpora.model.mesh_ids import NO_CONCEPT, is_mesh_id, mesh_id
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.reading import read
from corpora.reporting import Report, ignore, log
from corpora.storage import owned_files
from corpora.storage.atomic import remove_leftovers, sha256_of
from corpora.storage.inputs import is_pipe
from corpora.storage.spool import SpoolWriter, read_record
from corpora.words.quantities import quantity
from corpora.writing import write

TASKS = {"identification": 1, "indexing": 2}
"""The subtasks of the track and their numbers in file names."""
SUFFIXES = (".xml", ".json")


@dataclass(slots=True)
class Submission:
    """A written submission. `dropped_...`: the number of mentions of the run that the scorer would not accept."""

    path: Path
    task: str
    documents: int = 0
    passages: int = 0
    annotations: int = 0
    without_identifier: int = 0
    without_annotations: int = 0
    dropped_overlaps: int = 0
    dropped_empty: int = 0
    prefixed_identifiers: int = 0
    sha256: str = ""
    identifiers: set[str] = field(default_factory=set)

    def as_dict(self) -> dict[str, str | int]:
        names = [name for name in self.__dataclass_fields__ if name not in ("path", "identifiers")]
        values: dict[str, str | int] = {name: getattr(self, name) for name in names}
        return {"file": str(self.path), **values, "distinct_identifiers": len(self.identifiers)}


def file_name(task: str, team: str, run: int, suffix: str = ".xml") -> str:
    """The file name that the track requires. Raises `ConfigurationError` for parts that a name cannot have."""
    if task not in TASKS:
        raise OptionError("task", f"is {task!r}; write one of {', '.join(TASKS)}")
    if not re.fullmatch(r"[0-9]+", team):
        raise OptionError(
            "team", f"is {team!r}, and not a number; write the number of your team in the track, such as 999"
        )
    if run < 1:
        raise OptionError("run", f"is {run}; write a number from 1")
    if suffix not in SUFFIXES:
        raise ConfigurationError(f"a submission is BioC XML or JSON: use the suffix .xml or .json, not {suffix!r}")
    return f"Track2-Team-{team}-Subtask{TASKS[task]}-Run-{run}{suffix}"


def write_submission(
    annotated: str, reference: str, task: str, team: str, run: int, out: Path, report: Report = log
) -> Submission:
    """Write a run as a submission and check the file. One document is in memory at a time.

    `out`: a file that ends in .xml or .json, or a folder, in which the file gets the name of the track. Raises
    `ConfigurationError` for wrong arguments, and if documents or texts of run and reference differ (with the first
    difference); `InputError` if the written file fails its check; `ArticleError` for an identifier that is not in MeSH.
    """
    for source in (annotated, reference):
        if is_pipe(source):
            raise ConfigurationError(f"{source} can be read only once, but must be read twice; save it as a file")
    if out.suffix == "" or out.is_dir():
        path = out / file_name(task, team, run)
        remove_leftovers(path)
        # The user has not named this file.
        owned_files.check(path, None)
    else:
        path, name = out, file_name(task, team, run, out.suffix)
        if out.name != name:
            report(f"the track requires the file name {name}; the file is named {out.name}")
        remove_leftovers(path)
    submission = Submission(path, task)
    with tempfile.TemporaryDirectory(prefix="submission-") as scratch:
        store = _RunStore(annotated, Path(scratch) / "run", task, report)
        documents = _documents(reference, store, submission, report)
        write(documents, path, header=Header(source="nlmchem", key=path.stem), report=report)
    for what, number in (
        ("overlapping a better or longer one", submission.dropped_overlaps),
        ("of length zero", submission.dropped_empty),
    ):
        if number:
            report(f"left out: {quantity(number, 'mention')} {what}")
    if submission.prefixed_identifiers:
        report(f"{quantity(submission.prefixed_identifiers, 'identifier')} got the prefix MESH:")
    if not submission.annotations:
        report(f"the submission has no annotations; check that the run has annotations for {task}")
    first = next(check_submission(path, reference, task), None)
    if first is not None:
        path.unlink()
        raise InputError(f"{path.name} would not be accepted and was removed: {first}; please report it")
    submission.sha256 = sha256_of(path)
    return submission


# -- the run ------------------------------------------------------------------------------------


class _RunStore:
    """The annotations of a run in a temporary file, read by article in any order."""

    def __init__(self, source: str, path: Path, task: str, report: Report) -> None:
        self.source = source
        self._path = path
        self._places: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, str], str] = {}
        """The documents of which no annotation was taken yet."""
        with SpoolWriter(path) as writer:
            for document in read(source, report=report):
                key = _key(document)
                if key in self._places:
                    raise ConfigurationError(f"document {document.id!r} occurs twice in {source}; remove one of them")
                record: list[list[object]] = (
                    _mention_records(document)
                    if task == "identification"
                    else [[term.identifier, term.entry_term] for term in index_terms(document)]
                )
                self._places[key] = writer.append(json.dumps(record).encode())
                self._names[key] = str(document.id)
        if not self._places:
            raise ConfigurationError(f"{source} contains no document; check the path")

    def take(self, document: BioCDocument) -> list[list[object]]:
        """The run's annotations of a reference document.

        Raises `ConfigurationError` if the run does not have the document, or has another text of it.
        """
        key = _key(document)
        if key not in self._places:
            for other in read(self.source, report=ignore):
                if join_key(other) == join_key(document):
                    names = ("the reference", self.source)
                    first = next(text_differences(layout(document), layout(other), names), None)
                    if first is not None:
                        raise ConfigurationError(f"{first}; annotate the reference itself")
            raise ConfigurationError(
                f"document {document.id!r} of the reference is not in {self.source}; annotate it, too"
            )
        self._names.pop(key, None)
        records: list[list[object]] = json.loads(read_record(self._path, self._places[key]))
        return records

    def require_all_taken(self) -> None:
        rest = next(iter(self._names.values()), None)
        if rest is not None:
            raise ConfigurationError(
                f"document {rest!r} of {self.source} is not in the reference; remove it from the run"
            )


def _key(document: BioCDocument) -> tuple[str, str]:
    """The article and its text: several documents can belong to one article, such as its tables."""
    texts = [[passage.offset, passage_text(passage)] for passage in document.passages]
    return join_key(document), hashlib.sha256(json.dumps(texts).encode()).hexdigest()


def _mention_records(document: BioCDocument) -> list[list[object]]:
    """For each mention: position of the passage, spans, text, identifiers (None: not stated), score."""
    positions = {id(passage): position for position, passage in enumerate(document.passages)}
    return [
        [
            positions[id(mention.passage)],
            sorted(mention.spans),
            mention.text,
            stated_identifiers(mention),
            mention.evidence.score,
        ]
        for mention in mentions(document)
    ]


# -- one document -------------------------------------------------------------------------------


def _documents(reference: str, store: _RunStore, submission: Submission, report: Report) -> Iterator[BioCDocument]:
    for document in read(reference, report=report):
        records = store.take(document)
        for holder in holders_of(document):
            holder.annotations[:] = []
            holder.relations[:] = []
        before = submission.annotations
        if submission.task == "identification":
            _add_mentions(document, records, submission)
        else:
            _add_terms(document, records, submission)
        submission.documents += 1
        submission.passages += len(document.passages)
        submission.without_annotations += submission.annotations == before
        yield document
    store.require_all_taken()


@dataclass(frozen=True, slots=True)
class _SubmittedMention:
    passage: int
    spans: tuple[Span, ...]
    text: str
    identifiers: tuple[str, ...]
    score: float

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return max(end for _, end in self.spans)


def _add_mentions(document: BioCDocument, records: Sequence[Sequence[object]], submission: Submission) -> None:
    mentions: list[_SubmittedMention] = []
    for passage, spans, text, identifiers, score in records:
        places = tuple((start, end) for start, end in spans)  # type: ignore[attr-defined]
        mention = _SubmittedMention(int(str(passage)), places, str(text), tuple(identifiers or ()), float(score or 0))  # type: ignore[arg-type]
        if _is_text(document, mention, submission):
            mentions.append(mention)
    kept = _without_overlaps(mentions)
    submission.dropped_overlaps += len(mentions) - len(kept)
    for number, mention in enumerate(kept):
        where = f"document {document.id!r}, mention {mention.text!r} at offset {mention.start}"
        stated = _mesh(mention.identifiers, where, submission)
        add_plain_mention(document.passages[mention.passage], mention.spans, str(number), stated)
        submission.identifiers.update(stated)
        submission.without_identifier += not stated
    submission.annotations += len(kept)


def _is_text(document: BioCDocument, mention: _SubmittedMention, submission: Submission) -> bool:
    """Whether a mention has the text at its location. Raises `ArticleError`; a mention of length zero is dropped."""
    if any(start >= end for start, end in mention.spans):
        submission.dropped_empty += 1
        return False
    passage = document.passages[mention.passage]
    text = passage_text(passage)
    is_inside = passage.offset <= mention.start and mention.end <= passage.offset + len(text)
    found = " ".join(text[start - passage.offset : end - passage.offset] for start, end in mention.spans)
    if not is_inside or found != mention.text:
        raise ArticleError(
            f"document {document.id!r}: the mention {mention.text!r} at offset {mention.start} is not the text there; "
            "correct its offsets"
        )
    return True


def _without_overlaps(mentions: Sequence[_SubmittedMention]) -> list[_SubmittedMention]:
    """Of overlapping mentions, the one with the best score, then the longest, then the first; in text order."""
    kept: dict[int, list[_SubmittedMention]] = {}
    for mention in sorted(mentions, key=lambda mention: (-mention.score, mention.start - mention.end, mention.spans)):
        beside = kept.setdefault(mention.passage, [])
        if not any(mention.start < other.end and other.start < mention.end for other in beside):
            beside.append(mention)
    return sorted(
        (mention for beside in kept.values() for mention in beside),
        key=lambda mention: (mention.passage, mention.spans),
    )


def _add_terms(document: BioCDocument, records: Sequence[Sequence[object]], submission: Submission) -> None:
    terms: dict[str, str | None] = {}
    for identifier, name in records:
        where = f"document {document.id!r}, index term {name or identifier!r}"
        for part in _mesh(str(identifier).split(","), where, submission):
            if part != NO_CONCEPT:
                terms.setdefault(part, None if name is None else str(name))
    submission.identifiers.update(terms)
    add_index_terms(document, [IndexTerm(identifier, terms[identifier]) for identifier in sorted(terms)])
    submission.annotations += len(terms)


def _mesh(stated: Sequence[str], where: str, submission: Submission) -> list[str]:
    """Different identifiers with their prefix: `D014867` becomes `MESH:D014867`. Raises `ArticleError`."""
    identifiers: list[str] = []
    for part in (part.strip() for part in stated):
        if not part:
            continue
        whole = mesh_id(part) or part
        if not is_mesh_id(whole) and whole != NO_CONCEPT:
            raise ArticleError(f"{where}: {part!r} is not a MeSH identifier such as MESH:D014867; map it or remove it")
        submission.prefixed_identifiers += whole != part
        if whole not in identifiers:
            identifiers.append(whole)
    return [] if identifiers == [NO_CONCEPT] else identifiers


# -- the check ----------------------------------------------------------------------------------


def check_submission(path: Path, reference: str, task: str) -> Iterator[str]:
    """All reasons why the scorer would reject a file, one sentence each; none if it accepts the file.

    Documents, passages, offsets and texts must equal the reference, in the same order. There must be only annotations
    of the task, with ids that are unique in the document. Identifiers must be MeSH ids joined by commas, or `-`.
    Mentions must have the text at their locations and must not overlap.
    """
    mine = read(path, report=ignore)
    for wanted in read(reference, report=ignore):
        document = next(mine, None)
        if document is None:
            yield f"document {wanted.id!r} is missing"
            return
        if document.id != wanted.id:
            yield f"document {document.id!r} is in the position of {wanted.id!r} in the reference"
            return
        yield from map(str, text_differences(layout(wanted), layout(document), ("the reference", path.name)))
        yield from _faults(document, CHEMICAL if task == "identification" else INDEX_TERM)
    rest = next(mine, None)
    if rest is not None:
        yield f"document {rest.id!r} is not in the reference"


def _faults(document: BioCDocument, wanted: str) -> Iterator[str]:
    where = f"document {document.id!r}"
    yield from map(str, check(document))
    seen: set[str] = set()
    reached: dict[int, list[tuple[int, int]]] = {}
    for annotation, passage in every_annotation(document):
        place = f"{where}, annotation {annotation.id!r}"
        if annotation.id in seen:
            yield f"{place}: its id occurs twice"
        seen.add(annotation.id)
        mention = Mention(annotation, passage or BioCPassage())
        if passage is None or mention.type != wanted:
            yield f"{place}: {mention.type or 'no type'!r} does not belong to this task, which needs {wanted}"
        elif wanted == CHEMICAL and not annotation.locations:
            yield f"{place}: it has no location"
        elif wanted == CHEMICAL:
            outer = (mention.spans[0][0], max(end for _, end in mention.spans))
            reached.setdefault(id(passage), []).append(outer)
        stated = stated_identifiers(mention)
        if stated is None:
            yield f"{place}: it has no identifier; write `-` for a mention without concept"
        elif not stated and wanted == INDEX_TERM:
            yield f"{place}: an index term must have a concept"
        for part in stated or ():
            if not is_mesh_id(part) and part != NO_CONCEPT:
                yield f"{place}: {part!r} is not a MeSH identifier with its prefix"
    for spans in reached.values():
        spans.sort()
        for left, right in pairwise(spans):
            if right[0] < left[1]:
                yield f"{where}: the mentions at {left} and {right} overlap"
    if any(holder.relations for holder in (document, *document.passages)):
        yield f"{where}: it has relations"
