"""The result of a vote: voted documents with counts, and an output folder that is complete or absent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import FULL, Argument, ConfigurationError, OptionError, ResourceError
from corpora.formats.format import Header
from corpora.formats.registry import suffix_of, suffixes
from corpora.model.document import (
    Evidence,
    IndexTerm,
    add_index_term,
    add_mention,
    annotator,
    fresh_ids,
    remove_index_terms,
    remove_mentions,
    set_identifiers,
)
from corpora.model.mention_infons import Votes, write_votes
from corpora.model.passages import passage_text
from corpora.storage import atomic
from corpora.storage.atomic import sha256_of
from corpora.storage.inputs import MANIFEST
from corpora.storage.owned_files import check_replaceable, replacing_owned
from corpora.writing import write
from ensemble import OVERLAPS, TASKS
from ensemble.runs import Ballot, Poll
from ensemble.tally import IdentifierVote, passing, resolved, tally, tally_terms, threshold_value

ENSEMBLE = "nlmchem ensemble"
SIEVE = "vote"
"""The infon `sieve` of identifiers that a vote assigned."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How to combine runs. Raises `ConfigurationError` for invalid values."""

    tasks: tuple[str, ...]
    """The subjects of the vote, from `TASKS`; `identifiers` includes spans."""
    threshold: float
    """The minimum share of the runs, 0..1, for spans and index terms."""
    overlaps: str = "merge"
    """One of `OVERLAPS`."""
    per_mention: bool = False
    """Vote on identifiers by place instead of text."""

    def __post_init__(self) -> None:
        unknown = [task for task in self.tasks if task not in TASKS]
        if unknown:
            raise ConfigurationError(f"unknown task {unknown[0]!r}; use one of {', '.join(TASKS)}")
        if self.overlaps not in OVERLAPS:
            raise OptionError("overlaps", f"is {self.overlaps!r}; use one of {', '.join(OVERLAPS)}")
        object.__setattr__(self, "threshold", threshold_value(self.threshold))

    def as_dict(self) -> dict[str, Any]:
        """The rule as manifests list it."""
        return {
            "tasks": list(self.tasks),
            "threshold": self.threshold,
            "overlaps": self.overlaps,
            "identifiers_by": "mention" if self.per_mention else "text",
        }


@dataclass(slots=True)
class VoteCounts:
    documents: int = 0
    without_mentions: int = 0
    passages: int = 0
    characters: int = 0
    candidates: int = 0
    """Distinct spans of all runs."""
    mentions: int = 0
    merged: int = 0
    """Spans that no run has."""
    without_identifier: int = 0
    index_terms: int = 0
    texts: set[bytes] = field(default_factory=set)
    identifiers: set[str] = field(default_factory=set)

    def add_text(self, text: str) -> None:
        # Eight bytes for each text: the texts of a million articles would need too much memory.
        self.texts.add(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest())

    def as_dict(self) -> dict[str, int]:
        """The counts as the manifest lists them."""
        numbers = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in ("texts", "identifiers")
        }
        return {**numbers, "distinct_texts": len(self.texts), "distinct_identifiers": len(self.identifiers)}


class Combiner:
    """Combines the votes of each document by a rule, and counts the results."""

    def __init__(self, poll: Poll, rule: Rule) -> None:
        self.rule = rule
        self.counts = VoteCounts()
        self._names = poll.names
        self.signature = annotator("ensemble", poll.digest)

    def __call__(self, ballot: Ballot) -> BioCDocument:
        """The document of the ballot; the results of the vote replace its mentions and index terms."""
        document, counts = ballot.document, self.counts
        remove_mentions(document)
        remove_index_terms(document)
        counts.documents += 1
        counts.passages += len(document.passages)
        counts.characters += sum(len(passage_text(passage)) for passage in document.passages)
        if "spans" in self.rule.tasks or "identifiers" in self.rule.tasks:
            self._add_mentions(ballot)
        if "indexing" in self.rule.tasks:
            for term in passing(tally_terms(ballot), self.rule.threshold):
                add_index_term(document, IndexTerm(term.identifier, term.entry_term))
                write_votes(document.passages[0].annotations[-1], Votes(term.score, self._voters(term.voters)))
                counts.index_terms += 1
                counts.identifiers.add(term.identifier)
        return document

    def _add_mentions(self, ballot: Ballot) -> None:
        counts, candidates = self.counts, tally(ballot)
        spans = resolved(passing(candidates, self.rule.threshold), self.rule.overlaps)
        identifiers = IdentifierVote(ballot, self.rule.per_mention) if "identifiers" in self.rule.tasks else None
        ids = fresh_ids(ballot.document, "C")
        for span in spans:
            passage = ballot.document.passages[span.passage]
            mention = add_mention(passage, span.spans, id=next(ids), annotator=self.signature)
            identified = identifiers.of(span) if identifiers else None
            parts = tuple(((part.start, part.end), part.score) for part in span.parts)
            score = identified.score if identified else None
            write_votes(mention.annotation, Votes(span.score, self._voters(span.voters), parts, score))
            if identified is not None:
                set_identifiers(mention, identified.identifiers, Evidence(sieve=SIEVE))
                counts.identifiers.update(identified.identifiers)
                counts.without_identifier += not identified.identifiers
            counts.add_text(mention.text)
            counts.merged += not span.in_a_run
        counts.candidates += len(candidates)
        counts.mentions += len(spans)
        counts.without_mentions += not spans

    def _voters(self, positions: Sequence[int]) -> tuple[str, ...]:
        return tuple(self._names[position] for position in positions)


# -- files --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WrittenVote:
    counts: VoteCounts
    files: tuple[dict[str, Any], ...]
    """For each file its name, number of documents and sha256."""
    manifest: dict[str, Any] = field(default_factory=dict)


def write_ensemble(
    poll: Poll, rule: Rule, folder: Path, format: str = "biocxml", extra: dict[str, Any] | None = None
) -> WrittenVote:
    """Write the ensemble into a folder: one file, such as `ensemble.xml`, and a manifest.

    One document is in memory at a time. The manifest contains the rule, the runs, the counts, the file, and the values
    of `extra` (program, time, machine). Raises the errors of `Poll.ballots`, and `ArticleError` for text that the
    format cannot store.
    """
    combiner = Combiner(poll, rule)
    file = folder / f"ensemble{suffix_of(format)}"
    header = Header(source=ENSEMBLE, key=f"ensemble {poll.digest[:12]}")
    count = write(map(combiner, poll.ballots()), file, format, header)
    files = ({"name": file.name, "documents": count, "sha256": digest_of(file)},)
    content = {
        "annotator": combiner.signature,
        "rule": rule.as_dict(),
        "counts": combiner.counts.as_dict(),
        "files": list(files),
        **(extra or {}),
    }
    return WrittenVote(combiner.counts, files, write_manifest(folder, poll, ENSEMBLE, content))


def digest_of(path: Path) -> str:
    """The sha256 of a file, or of the names and contents of the files in a folder, in hexadecimal."""
    if not path.is_dir():
        return sha256_of(path)
    listing = "".join(f"{file.name} {digest_of(file)}\n" for file in sorted(path.iterdir()))
    return hashlib.sha256(listing.encode()).hexdigest()


# -- folders ------------------------------------------------------------------------------------


@contextmanager
def whole_folder(out: Path, made_by: str, restart: bool = False) -> Iterator[Path]:
    """A new folder beside `out`. It is renamed to `out` when the block ends without error.

    `made_by` is the command: the manifest that the block writes must contain it. With `restart`, a folder `out` that
    is not empty is replaced, if its manifest contains the same command and no file in it was added or changed since.
    Raises `ConfigurationError`, and `ResourceError` where the folder cannot be created or written, `OSError` on a full
    disk.
    """
    out = out.resolve()
    _require_free(out, made_by, restart)
    created = False
    try:
        with replacing_owned(out) as partial:
            created = True
            yield partial
            # The command may have taken hours.
            _require_free(out, made_by, restart)
    except OSError as error:
        if error.errno in FULL:
            raise
        if not created:
            why = f"the folder {out} cannot be created ({error.strerror}); choose another "
            raise ResourceError(why, Argument("out")) from error
        why = f"the folder {out} cannot be written ({error}); correct that and run the command again"
        raise ResourceError(why) from error


def check_whole_folder(out: Path, made_by: str, restart: bool = False) -> None:
    """Raise the errors that `whole_folder` raises before any work."""
    _require_free(out.resolve(), made_by, restart)
    check_replaceable(out.resolve())


def _require_free(out: Path, made_by: str, restart: bool) -> None:
    if out.suffix.lower() in suffixes():
        raise OptionError("out", f"is a folder, but {out} is the name of a file; name a folder")
    if out.exists() and not out.is_dir():
        raise ConfigurationError(f"{out} is a file; name a folder")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not restart:
        why = f"the folder {out} is not empty; choose another, or add "
        raise ConfigurationError(why, Argument("restart", True), " to replace it")
    try:
        content = json.loads((out / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        content = None
    if not isinstance(content, dict) or content.get("made_by") != made_by:
        raise ConfigurationError(f"the folder {out} was not made by `{made_by}`; choose another")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write indented JSON atomically."""
    atomic.write_bytes(path, json.dumps(content, indent=1, ensure_ascii=True).encode() + b"\n")


def write_manifest(folder: Path, poll: Poll, made_by: str, content: dict[str, Any]) -> dict[str, Any]:
    """Write a manifest with the command, the runs and `content`. Returns its content."""
    runs = [{"name": run.name, "path": run.path, **run.as_dict()} for run in poll.runs]
    manifest = {"made_by": made_by, "runs": runs, **content}
    write_json(folder / MANIFEST, manifest)
    return manifest
