"""Submission files of the NLM-Chem track.

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
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import ArticleError, ConfigurationError, InputError, OptionError
from corpora.formats.header import Header
from corpora.model.alignment import layout, text_differences
from corpora.model.document import NO_CONCEPT, IndexTerm, Span, add_index_terms, index_terms, mentions
from corpora.model.mesh_ids import is_mesh_id, mesh_id
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.model.votes import add_plain_mention, stated_identifiers
from corpora.reading import read
from corpora.reporting import Report, ignore, log
from corpora.storage import owned_files
from corpora.storage.atomic import remove_leftovers, sha256_of
from corpora.storage.inputs import is_pipe
from corpora.storage.spool import SpoolWriter, read_record
from corpora.submission.check import TASKS, check_submission
from corpora.words.quantities import quantity
from corpora.writing import write

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
    path = _target(out, task, team, run, report)
    remove_leftovers(path)
    if path != out:
        # The user has not named this file.
        owned_files.check(path, None)
    submission = Submission(path, task)
    with tempfile.TemporaryDirectory(prefix="submission-") as scratch:
        store = _RunStore(annotated, Path(scratch) / "run", task, report)
        documents = _documents(reference, store, submission, report)
        write(documents, path, header=Header(source="nlmchem", key=path.stem), report=report)
    _report_losses(submission, report)
    faults = check_submission(path, reference, task)
    first = next(faults, None)
    if first is not None:
        path.unlink()
        raise InputError(f"{path.name} would not be accepted and was removed: {first}; please report it")
    submission.sha256 = sha256_of(path)
    return submission


def _target(out: Path, task: str, team: str, run: int, report: Report) -> Path:
    if out.suffix == "" or out.is_dir():
        return out / file_name(task, team, run)
    name = file_name(task, team, run, out.suffix)
    if out.name != name:
        report(f"the track requires the file name {name}; the file is named {out.name}")
    return out


# -- the run ------------------------------------------------------------------------------------


class _RunStore:
    """The annotations of a run in a temporary file, read by article in any order."""

    def __init__(self, source: str, path: Path, task: str, report: Report) -> None:
        self.source = source
        self._path = path
        self._places: dict[tuple[str, str], int] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._taken: set[tuple[str, str]] = set()
        with SpoolWriter(path) as writer:
            for document in read(source, report=report):
                self._add(document, writer, task)
        if not self._places:
            raise ConfigurationError(f"{source} contains no document; check the path")

    def _add(self, document: BioCDocument, writer: SpoolWriter, task: str) -> None:
        # Several documents can belong to one article (such as its tables): their texts differ.
        key = (join_key(document), _digest(document))
        if key in self._places:
            raise ConfigurationError(f"document {document.id!r} occurs twice in {self.source}; remove one of them")
        record = _mention_records(document) if task == "identification" else _term_records(document)
        self._places[key] = writer.append(json.dumps(record).encode())
        self._names[key] = str(document.id)

    def take(self, document: BioCDocument) -> list[list[object]]:
        """The run's annotations of a reference document.

        Raises `ConfigurationError` if the run does not have the document, or has another text of it.
        """
        key = (join_key(document), _digest(document))
        if key not in self._places:
            self._explain(document)
        self._taken.add(key)
        records: list[list[object]] = json.loads(read_record(self._path, self._places[key]))
        return records

    def _explain(self, document: BioCDocument) -> None:
        """Raise `ConfigurationError` with the first difference between the document and that of the run."""
        for other in read(self.source, report=ignore):
            if join_key(other) == join_key(document):
                first = next(text_differences(layout(document), layout(other), ("the reference", self.source)), None)
                if first is not None:
                    raise ConfigurationError(f"{first}; annotate the reference itself")
        raise ConfigurationError(f"document {document.id!r} of the reference is not in {self.source}; annotate it, too")

    def require_all_taken(self) -> None:
        rest = [name for key, name in self._names.items() if key not in self._taken]
        if rest:
            raise ConfigurationError(
                f"document {rest[0]!r} of {self.source} is not in the reference; remove it from the run"
            )


def _digest(document: BioCDocument) -> str:
    texts = [[passage.offset, passage_text(passage)] for passage in document.passages]
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()


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


def _term_records(document: BioCDocument) -> list[list[object]]:
    return [[term.identifier, term.entry_term] for term in index_terms(document)]


# -- one document -------------------------------------------------------------------------------


def _documents(reference: str, store: _RunStore, submission: Submission, report: Report) -> Iterator[BioCDocument]:
    for document in read(reference, report=report):
        records = store.take(document)
        _strip(document)
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


def _strip(document: BioCDocument) -> None:
    for holder in (document, *document.passages, *(s for passage in document.passages for s in passage.sentences)):
        holder.annotations[:] = []
        holder.relations[:] = []


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
    mentions = [mention for mention in map(_mention, records) if _is_text(document, mention, submission)]
    kept = _without_overlaps(mentions)
    submission.dropped_overlaps += len(mentions) - len(kept)
    for number, mention in enumerate(kept):
        where = f"document {document.id!r}, mention {mention.text!r} at offset {mention.start}"
        identifiers = _mesh(mention.identifiers, where, submission)
        add_plain_mention(document.passages[mention.passage], mention.spans, str(number), identifiers)
        submission.identifiers.update(identifiers)
        submission.without_identifier += not identifiers
    submission.annotations += len(kept)


def _mention(record: Sequence[object]) -> _SubmittedMention:
    passage, spans, text, identifiers, score = record
    places = tuple((start, end) for start, end in spans)  # type: ignore[attr-defined]
    return _SubmittedMention(int(str(passage)), places, str(text), tuple(identifiers or ()), float(score or 0))  # type: ignore[arg-type]


def _is_text(document: BioCDocument, mention: _SubmittedMention, submission: Submission) -> bool:
    """Whether a mention has the text at its location. Raises `ArticleError`; a mention of length zero is dropped."""
    if any(start >= end for start, end in mention.spans):
        submission.dropped_empty += 1
        return False
    passage = document.passages[mention.passage]
    text = passage_text(passage)
    inside = passage.offset <= mention.start and mention.end <= passage.offset + len(text)
    there = " ".join(text[start - passage.offset : end - passage.offset] for start, end in mention.spans)
    if not inside or there != mention.text:
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
            if part == NO_CONCEPT:
                continue
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


def _report_losses(submission: Submission, report: Report) -> None:
    losses = {
        "overlapping a better or longer one": submission.dropped_overlaps,
        "of length zero": submission.dropped_empty,
    }
    for what, number in losses.items():
        if number:
            report(f"left out: {quantity(number, 'mention')} {what}")
    if submission.prefixed_identifiers:
        report(f"{quantity(submission.prefixed_identifiers, 'identifier')} got the prefix MESH:")
    if not submission.annotations:
        report(f"the submission has no annotations; check that the run has annotations for {submission.task}")
