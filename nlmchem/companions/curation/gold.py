"""Makes gold articles of a selection and the tasks that came back, with an account of every change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import (
    Mention,
    Span,
    add_mention,
    clear_identifiers,
    fresh_ids,
    mentions,
    set_annotator,
    set_identifiers,
)
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.model.passages import passage_text
from corpora.reporting import Report, table_cell
from corpora.storage.owned_files import OwnedFolder
from ensemble.runs import Ballot
from ensemble.votes import Vote, VotedMention
from nlmchem.companions.curation.exporting import chemicals
from nlmchem.companions.curation.infons import set_change, set_chosen_for
from nlmchem.companions.curation.selection import ARTICLES, open_selection, shallow, write_account, write_collection
from nlmchem.companions.curation.tasks_done import DONE, OPEN, Marked, Place, Returned, read_returned
from nlmchem.evaluation.ensembles import agreement_of
from nlmchem.evaluation.scores import f1, ratio

MADE_BY = "nlmchem curate import"
REPORT = PurePosixPath("report")
_COLUMNS = ("document", "offset", "annotator", "change", "spans", "text", "identifiers", "before")


@dataclass(frozen=True, slots=True)
class Import:
    """What was imported. `account`: the content of `manifest.json`. `faults`: a sentence for each failure."""

    account: dict[str, Any]
    faults: tuple[str, ...]


def import_tasks(
    paths: Sequence[str],
    selection: Path,
    out: Path,
    merge: str,
    known: Callable[[str], bool],
    report: Report,
    unchanged: str = DONE,
) -> Import:
    """Write the gold articles of finished passages, and what was changed, into a folder.

    `merge`: one of `MERGES`. `known`: whether the lexicon has an identifier. `unchanged`: whether passages without any
    change are `done` or `open` in formats that do not record what was finished. Raises `ConfigurationError` if no
    passage was finished, and for folders that cannot be read or written.
    """
    if merge not in MERGES:
        raise OptionError("merge", f"is {merge!r}; use one of {', '.join(MERGES)}")
    if unchanged not in (DONE, OPEN):
        raise OptionError("unchanged", f"is {unchanged!r}; use {DONE} or {OPEN}")
    folder = OwnedFolder(out)
    documents = open_selection(selection)
    passages = {
        (name, passage.offset): passage for name, document in documents.items() for passage in document.passages
    }
    returned = read_returned(paths, documents, report, unchanged)
    if not returned.annotated:
        first = f": {returned.faults[0]}" if returned.faults else "; finish some in the editor, and export them again"
        raise ConfigurationError(f"no passage of the selection was finished{first}")
    annotated = {
        place: {name: changes_of(list(chemicals(passages[place])), marks) for name, marks in by_name.items()}
        for place, by_name in returned.annotated.items()
    }
    articles = list(_articles(documents, annotated, merge))
    stated = Counter(
        identifier for document in articles for mention in mentions(document) for identifier in mention.identifiers
    )
    unknown = {identifier: number for identifier, number in sorted(stated.items()) if not known(identifier)}
    write_collection(folder, ARTICLES, iter(articles))
    write_table(folder, "changes.tsv", _COLUMNS, _change_rows(annotated, passages))
    account = _account(annotated, returned, passages, merge, unknown)
    shared = {place: by_name for place, by_name in annotated.items() if len(by_name) > 1}
    account["agreement"] = as_json(pairs(shared, passages))
    columns = ("document", "offset", "spans", "text", *account["annotators"])
    write_table(folder, "adjudication.tsv", columns, _contested_rows(shared, passages, account["annotators"]))
    write_account(folder, account)
    return Import(account, tuple(returned.faults))


def _account(
    annotated: Mapping[Place, Mapping[str, list[Change]]],
    returned: Returned,
    passages: Mapping[Place, BioCPassage],
    merge: str,
    unknown: dict[str, int],
) -> dict[str, Any]:
    by_name: dict[str, Counter[str]] = {}
    for by_annotator in annotated.values():
        for name, changes in by_annotator.items():
            counts = by_name.setdefault(name, Counter())
            counts.update(change.kind for change in changes)
            counts["passages"] += 1
            counts["without identifier"] += sum(bool(change.spans) and change.identifiers is None for change in changes)
    left = [place for place in passages if place not in annotated]
    return {
        "made_by": MADE_BY,
        "merge": merge,
        "passages": len(annotated),
        "unfinished": [list(place) for place in left],
        "failed": returned.faults,
        "duplicates": returned.duplicates,
        "annotators": {
            name: {key: by_name[name][key] for key in ("passages", *KINDS, "without identifier")}
            for name in sorted(by_name)
        },
        "unknown_identifiers": unknown,
    }


# -- the articles -------------------------------------------------------------------------------


def _articles(
    documents: Mapping[str, BioCDocument], annotated: Mapping[Place, Mapping[str, list[Change]]], merge: str
) -> Iterator[BioCDocument]:
    for name, former in documents.items():
        done = [passage for passage in former.passages if (name, passage.offset) in annotated]
        if not done:
            continue
        document = shallow(former)
        document.passages = [deepcopy(passage) for passage in done]
        ids = fresh_ids(document, "G")
        for passage in document.passages:
            set_chosen_for(passage, "")
            _replace(passage, merged(annotated[name, passage.offset], merge), ids)
        yield document


def _replace(passage: BioCPassage, wanted: Sequence[tuple[Change, tuple[str, ...]]], ids: Iterator[str]) -> None:
    """Replace the chemicals of a passage, and remove the relations of those that are gone. Infons of kept ones stay."""
    present = ranked(chemicals(passage))
    kept = {id(present[place].annotation) for change, _ in wanted if (place := (change.spans, change.rank)) in present}
    for holder in (passage, *passage.sentences):
        gone = {id(mention.annotation) for mention in present.values()} - kept
        ids_gone = {annotation.id for annotation in holder.annotations if id(annotation) in gone}
        holder.annotations[:] = [annotation for annotation in holder.annotations if id(annotation) not in gone]
        # A relation without one of its mentions means nothing.
        holder.relations[:] = [
            relation for relation in holder.relations if not ids_gone & {node.refid for node in relation.nodes}
        ]
    for change, names in wanted:
        mention = present.get((change.spans, change.rank)) or add_mention(
            passage, change.spans, id=next(ids), annotator=None
        )
        if change.identifiers is not None and mention.identifiers != change.identifiers:
            clear_identifiers(mention)
            set_identifiers(mention, change.identifiers)
        set_annotator(mention, f"curator:{'+'.join(names)}")
        set_change(mention, change.kind, change.before)


# -- the tables ---------------------------------------------------------------------------------


def write_table(folder: OwnedFolder, name: str, columns: Sequence[str], rows: Iterator[Sequence[object]]) -> None:
    """Write a table into the report of a folder."""
    lines = ("\t".join(table_cell(str(cell)) for cell in row) + "\n" for row in (columns, *rows))
    folder.write_text(REPORT / name, "".join(lines))


def _change_rows(
    annotated: Mapping[Place, Mapping[str, list[Change]]], passages: Mapping[Place, BioCPassage]
) -> Iterator[Sequence[object]]:
    for place, by_name in annotated.items():
        for name, changes in by_name.items():
            for change in changes:
                spans = change.spans or (change.former.spans if change.former else ())
                text = _text(passages[place], spans)
                yield *place, name, change.kind, _places(spans), text, _words(change.identifiers), change.before


def _contested_rows(
    shared: Mapping[Place, Mapping[str, list[Change]]], passages: Mapping[Place, BioCPassage], names: Sequence[str]
) -> Iterator[Sequence[object]]:
    """The mentions on which the annotators of a passage differ: `absent`, or the identifiers that each one has."""
    for place, by_name in shared.items():
        for spans in sorted({change.spans for changes in by_name.values() for change in changes if change.spans}):
            if is_contested(by_name, spans):
                answers = [_answer(by_name.get(name), spans) for name in names]
                yield *place, _places(spans), _text(passages[place], spans), *answers


def _answer(changes: list[Change] | None, spans: tuple[tuple[int, int], ...]) -> str:
    if changes is None:
        return ""
    return " | ".join(_words(change.identifiers) for change in changes if change.spans == spans) or "absent"


def _words(identifiers: tuple[str, ...] | None) -> str:
    return "not stated" if identifiers is None else ",".join(identifiers) or NO_CONCEPT


def _places(spans: Sequence[tuple[int, int]]) -> str:
    return "+".join(f"{start}-{end}" for start, end in spans)


def _text(passage: BioCPassage, spans: Sequence[tuple[int, int]]) -> str:
    text = passage_text(passage)
    return " ".join(text[start - passage.offset : end - passage.offset] for start, end in spans)


MERGES = ("majority", "union", "intersection", "first")
"""Which mentions of several annotators are kept: those of more than half, of any, of all, or of the first one."""
KINDS = ("kept", "relinked", "moved", "removed", "added")

Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a mention. `former`: that of the selection. `spans`: empty for a removed mention.

    `identifiers`: None where neither the editor nor the selection states them. `rank`: which of the mentions of the
    selection with these spans it is; most often there is one.
    """

    kind: str
    former: Mention | None
    spans: Spans = ()
    identifiers: tuple[str, ...] | None = None
    rank: int = 0

    @property
    def before(self) -> str:
        """The former state, as far as it is another one: spans, identifiers, annotator."""
        if self.former is None:
            return ""
        words = []
        if self.kind == "moved":
            words.append("+".join(f"{start}-{end}" for start, end in self.former.spans))
        if self.former.identifiers and self.former.identifiers != self.identifiers:
            words.append(",".join(self.former.identifiers))
        if self.former.annotator:
            words.append(f"by {self.former.annotator}")
        return " ".join(words)


def changes_of(former: Sequence[Mention], marks: Sequence[Marked]) -> list[Change]:
    """What became of each mention of a passage, and what was added: in the order of the text, removed ones last."""
    left = ranked(former)
    changes: list[Change] = []
    new: list[Marked] = []
    # First the marks that were not changed: several mentions may have one place.
    for mark in sorted(marks, key=lambda mark: not any(_is_same(left[place], mark) for place in _at(left, mark))):
        place = min(_at(left, mark), key=lambda place: (not _is_same(left[place], mark), place), default=None)
        if place is None:
            new.append(mark)
            continue
        mention = left.pop(place)
        stated = mention.identifiers if mention.sought else None
        is_same = mark.identifiers is None or mark.identifiers == mention.identifiers
        identifiers = stated if is_same else mark.identifiers
        changes.append(Change("kept" if is_same else "relinked", mention, mark.spans, identifiers, place[1]))
    for mark in new:
        near = max(left, key=lambda place: (overlap(place[0], mark.spans), place), default=((), 0))
        if overlap(near[0], mark.spans):
            # Another span can mean another concept: identifiers are those that the editor states.
            changes.append(Change("moved", left.pop(near), mark.spans, mark.identifiers))
        else:
            changes.append(Change("added", None, mark.spans, mark.identifiers))
    changes.sort(key=lambda change: (change.spans, change.rank))
    return changes + [Change("removed", mention) for mention in left.values()]


def ranked(former: Iterable[Mention]) -> dict[tuple[Spans, int], Mention]:
    """The mentions of a passage by their sorted spans, and their number among those with the same spans."""
    numbers: Counter[Spans] = Counter()
    mentions: dict[tuple[Spans, int], Mention] = {}
    for mention in former:
        spans = tuple(sorted(mention.spans))
        mentions[spans, numbers[spans]] = mention
        numbers[spans] += 1
    return mentions


def _at(left: Mapping[tuple[Spans, int], Mention], mark: Marked) -> list[tuple[Spans, int]]:
    """The places of the mentions with the spans of a mark."""
    return [place for place in left if place[0] == mark.spans]


def _is_same(mention: Mention, mark: Marked) -> bool:
    return mark.identifiers is None or mark.identifiers == mention.identifiers


def overlap(left: Spans, right: Spans) -> int:
    """The number of characters that two mentions have in common."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in left for c, d in right)


def merged(changes: Mapping[str, Sequence[Change]], merge: str) -> list[tuple[Change, tuple[str, ...]]]:
    """The mentions of a passage by all its annotators: each with the names of those that have it.

    The identifiers are those that most of them state; ties: those of the first one. `merge`: one of `MERGES`.
    """
    names = list(changes)
    by_place: dict[tuple[Spans, int], dict[str, Change]] = {}
    for name in names:
        for change in changes[name]:
            if change.spans:
                by_place.setdefault((change.spans, change.rank), {})[name] = change
    needed = {"majority": len(names) // 2 + 1, "intersection": len(names)}.get(merge, 1)
    kept = []
    for place in sorted(by_place):
        by_name = by_place[place]
        if len(by_name) >= needed and (merge != "first" or names[0] in by_name):
            kept.append((_agreed(by_name.values()), tuple(by_name)))
    return kept


def _agreed(changes: Iterable[Change]) -> Change:
    """The change with the identifiers that occur most often; ties: the first one."""
    every = list(changes)
    numbers = Counter(change.identifiers for change in every if change.identifiers is not None)
    return max(every, key=lambda change: numbers[change.identifiers] if change.identifiers is not None else 0)


def is_contested(changes: Mapping[str, Sequence[Change]], spans: Spans) -> bool:
    """Whether not all annotators have a mention at these spans, or not with the same identifiers."""
    answers = [
        tuple(sorted(change.identifiers or () for change in of_name if change.spans == spans))
        for of_name in changes.values()
    ]
    return len(set(answers)) > 1


_WORD = re.compile(r"\w+")
Annotated = Mapping[Place, Mapping[str, list[Change]]]
"""The changes of each annotator in each passage."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The agreement of two annotators, each from 0 to 1, kappa from -1. `passages`: those that both have."""

    annotators: tuple[str, str]
    passages: int
    strict: float
    approximate: float
    identifiers: float
    kappa: float


def pairs(annotated: Annotated, passages: Mapping[Place, BioCPassage]) -> list[Pair]:
    """The agreement of each two annotators that have passages in common."""
    names = sorted({name for by_name in annotated.values() for name in by_name})
    return [
        _pair(left, right, shared, passages)
        for left, right in combinations(names, 2)
        if (shared := {place: by_name for place, by_name in annotated.items() if left in by_name and right in by_name})
    ]


def as_json(pairs: list[Pair]) -> list[dict[str, Any]]:
    """The pairs with values of 4 decimals."""
    return [
        {key: round(value, 4) if isinstance(value, float) else value for key, value in asdict(pair).items()}
        for pair in pairs
    ]


def _pair(left: str, right: str, shared: Annotated, passages: Mapping[Place, BioCPassage]) -> Pair:
    ballots = [_ballot(passages[place], by_name[left], by_name[right]) for place, by_name in shared.items()]
    strict = agreement_of((left, right), ballots, "spans").f1[0, 1]
    identifiers = agreement_of((left, right), ballots, "identifiers").f1[0, 1]
    here = [[change.spans for change in by_name[left] if change.spans] for by_name in shared.values()]
    there = [[change.spans for change in by_name[right] if change.spans] for by_name in shared.values()]
    left_ones = [
        sum(any(overlap(a, b) for b in other) for a in spans) for spans, other in zip(here, there, strict=True)
    ]
    right_ones = [
        sum(any(overlap(a, b) for b in other) for a in spans) for spans, other in zip(there, here, strict=True)
    ]
    both = (sum(map(len, here)), sum(map(len, there)))
    approximate = f1(ratio(sum(left_ones), both[0]), ratio(sum(right_ones), both[1])) if any(both) else 1.0
    texts = [passages[place] for place in shared]
    return Pair((left, right), len(shared), float(strict), approximate, float(identifiers), _kappa(texts, here, there))


def _ballot(passage: BioCPassage, left: list[Change], right: list[Change]) -> Ballot:
    document = BioCDocument()
    document.add_passage(passage)
    return Ballot(document, (1, 1), (_vote(left), _vote(right)))


def _vote(changes: list[Change]) -> Vote:
    return Vote(tuple(VotedMention(0, change.spans, change.identifiers) for change in changes if change.spans))


def _kappa(passages: list[BioCPassage], here: list[list[Any]], there: list[list[Any]]) -> float:
    table = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for passage, left, right in zip(passages, here, there, strict=True):
        for word in _WORD.finditer(passage_text(passage)):
            span = ((passage.offset + word.start(), passage.offset + word.end()),)
            inside = (any(overlap(span, mention) for mention in left), any(overlap(span, mention) for mention in right))
            table[inside] += 1
    words = sum(table.values())
    agreed = ratio(table[True, True] + table[False, False], words)
    shares = (
        ratio(table[True, True] + table[True, False], words),
        ratio(table[True, True] + table[False, True], words),
    )
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return 1.0 if chance == 1 or not words else (agreed - chance) / (1 - chance)
