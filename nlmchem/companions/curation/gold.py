"""Makes gold articles of a selection and the tasks that came back, with an account of every change.

A mention of the selection is kept (same spans, and the same identifiers if the editor states them), relinked (other
identifiers), moved (its spans are gone, and a new mention overlaps them) or removed. All other mentions are added.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
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
from nlmchem.companions.curation import set_change, set_chosen_for
from nlmchem.companions.curation.selection import (
    ARTICLES,
    chemicals,
    open_selection,
    shallow,
    write_account,
    write_collection,
)
from nlmchem.companions.curation.tasks_done import DONE, OPEN, CuratedMention, PassageKey, read_returned
from nlmchem.evaluation.ensembles import agreement_of
from nlmchem.evaluation.scores import f1, ratio

MADE_BY = "nlmchem curate import"
REPORT = PurePosixPath("report")
MERGES = ("majority", "union", "intersection", "first")
"""Which mentions of several annotators are kept: those of more than half, of any, of all, or of the first one."""
KINDS = ("kept", "relinked", "moved", "removed", "added")
_COLUMNS = ("document", "offset", "annotator", "change", "spans", "text", "identifiers", "before")
_WORD = re.compile(r"\w+")

Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What became of a mention."""

    kind: str
    former: Mention | None
    """That of the selection."""
    spans: Spans = ()
    """Empty for a removed mention."""
    identifiers: tuple[str, ...] | None = None
    """None where neither the editor nor the selection states them."""
    rank: int = 0
    """Which of the mentions of the selection with these spans it is; most often there is one."""

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


PassageChanges = Mapping[PassageKey, Mapping[str, list[Change]]]
"""The changes of each annotator in each passage."""


def import_tasks(
    paths: Sequence[str],
    selection: Path,
    out: Path,
    merge: str,
    known: Callable[[str], bool],
    report: Report,
    unchanged: str = DONE,
) -> dict[str, Any]:
    """Write the gold articles of finished passages, and what was changed, into a folder. Returns its `manifest.json`.

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
    shared = {place: by_name for place, by_name in annotated.items() if len(by_name) > 1}
    counts = _counts(annotated)
    _write_tables(folder, annotated, shared, passages, list(counts))
    account = {
        "made_by": MADE_BY,
        "merge": merge,
        "passages": len(annotated),
        "unfinished": [list(place) for place in passages if place not in annotated],
        "failed": returned.faults,
        "duplicates": returned.duplicates,
        "annotators": counts,
        "unknown_identifiers": unknown,
        "agreement": list(agreement(shared, passages)),
    }
    write_account(folder, account)
    return account


def _counts(annotated: PassageChanges) -> dict[str, dict[str, int]]:
    """The passages of each annotator, and the changes by kind."""
    by_name: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for by_annotator in annotated.values():
        for name, changes in by_annotator.items():
            by_name[name].update(["passages", *(change.kind for change in changes)])
            stated = [change.identifiers is not None for change in changes if change.spans]
            by_name[name]["without identifier"] += stated.count(False)
    columns = ("passages", *KINDS, "without identifier")
    return {name: {key: by_name[name][key] for key in columns} for name in sorted(by_name)}


# -- the changes --------------------------------------------------------------------------------


def changes_of(former: Sequence[Mention], marks: Sequence[CuratedMention]) -> list[Change]:
    """What became of each mention of a passage, and what was added: in the order of the text, removed ones last."""
    left = ranked(former)
    changes: list[Change] = []
    new: list[CuratedMention] = []

    def candidates(mark: CuratedMention) -> list[tuple[bool, tuple[Spans, int]]]:
        """The mentions that are left with the spans of a mark: whether their identifiers differ, and their keys."""
        here = [(mention.identifiers, key) for key, mention in left.items() if key[0] == mark.spans]
        return [(mark.identifiers not in (None, identifiers), key) for identifiers, key in here]

    # First the marks that were not changed: several mentions may have one place.
    for mark in sorted(marks, key=lambda mark: all(differs for differs, _ in candidates(mark))):
        here = candidates(mark)
        if not here:
            new.append(mark)
            continue
        differs, key = min(here)
        mention = left.pop(key)
        stated = mention.identifiers if mention.sought else None
        kind, identifiers = ("relinked", mark.identifiers) if differs else ("kept", stated)
        changes.append(Change(kind, mention, mark.spans, identifiers, key[1]))
    for mark in new:
        near = max(left, key=lambda key: (overlap(key[0], mark.spans), key), default=((), 0))
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


def overlap(left: Spans, right: Spans) -> int:
    """The number of characters that two mentions have in common."""
    return sum(max(0, min(b, d) - max(a, c)) for a, b in left for c, d in right)


def merged(changes: Mapping[str, Sequence[Change]], merge: str) -> list[tuple[Change, tuple[str, ...]]]:
    """The mentions of a passage by all its annotators: each with the names of those that have it.

    The identifiers are those that most of them state; ties: those of the first one. `merge`: one of `MERGES`.
    """
    names = list(changes)
    by_place: defaultdict[tuple[Spans, int], dict[str, Change]] = defaultdict(dict)
    for name in names:
        for change in changes[name]:
            if change.spans:
                by_place[change.spans, change.rank][name] = change
    needed = {"majority": len(names) // 2 + 1, "intersection": len(names)}.get(merge, 1)
    kept = []
    for place in sorted(by_place):
        by_name = by_place[place]
        if len(by_name) >= needed and (merge != "first" or names[0] in by_name):
            stated: Counter[tuple[str, ...] | None] = Counter(
                change.identifiers for change in by_name.values() if change.identifiers is not None
            )
            agreed = max(by_name.values(), key=lambda change: stated.get(change.identifiers, 0))
            kept.append((agreed, tuple(by_name)))
    return kept


# -- the articles -------------------------------------------------------------------------------


def _articles(documents: Mapping[str, BioCDocument], annotated: PassageChanges, merge: str) -> Iterator[BioCDocument]:
    for name, former in documents.items():
        document = shallow(former)
        document.passages = [deepcopy(one) for one in former.passages if (name, one.offset) in annotated]
        ids = fresh_ids(document, "G")
        for passage in document.passages:
            set_chosen_for(passage, "")
            _replace(passage, merged(annotated[name, passage.offset], merge), ids)
        if document.passages:
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


# -- the agreement of the annotators ------------------------------------------------------------


def agreement(annotated: PassageChanges, passages: Mapping[PassageKey, BioCPassage]) -> Iterator[dict[str, Any]]:
    """The agreement of each two annotators on the passages that both have, with 4 decimals.

    `strict` and `identifiers` are those of `nlmchem ensemble agreement`. `approximate`: a mention counts as found if it
    overlaps one of the other annotator. F1 is not corrected for chance: there are so many possible spans that agreement
    by chance on whole spans is near 0. `kappa`: see `_kappa`.
    """
    names = sorted({name for by_name in annotated.values() for name in by_name})
    for pair in combinations(names, 2):
        shared = {key: by_name for key, by_name in annotated.items() if all(name in by_name for name in pair)}
        if not shared:
            continue
        ballots = []
        spans: tuple[list[list[Spans]], list[list[Spans]]] = ([], [])
        for key, by_name in shared.items():
            document = BioCDocument()
            document.add_passage(passages[key])
            marked = [[change for change in by_name[name] if change.spans] for name in pair]
            votes = (Vote(tuple(VotedMention(0, one.spans, one.identifiers) for one in marks)) for marks in marked)
            ballots.append(Ballot(document, (1, 1), tuple(votes)))
            for of_name, marks in zip(spans, marked, strict=True):
                of_name.append([change.spans for change in marks])
        found = [
            sum(any(overlap(a, b) for b in right) for left, right in zip(ours, theirs, strict=True) for a in left)
            for ours, theirs in (spans, spans[::-1])
        ]
        numbers = [sum(map(len, of_name)) for of_name in spans]
        approximate = f1(*map(ratio, found, numbers)) if any(numbers) else 1.0
        yield {
            "annotators": pair,
            "passages": len(shared),
            "strict": round(float(agreement_of(pair, ballots, "spans").f1[0, 1]), 4),
            "approximate": round(approximate, 4),
            "identifiers": round(float(agreement_of(pair, ballots, "identifiers").f1[0, 1]), 4),
            "kappa": round(_kappa([passages[key] for key in shared], *spans), 4),
        }


def _kappa(passages: list[BioCPassage], here: list[list[Spans]], there: list[list[Spans]]) -> float:
    """Cohen's kappa of the words of passages, where a word is inside a mention or not."""
    table = {(a, b): 0 for a in (True, False) for b in (True, False)}
    for passage, left, right in zip(passages, here, there, strict=True):
        for word in _WORD.finditer(passage_text(passage)):
            span = ((passage.offset + word.start(), passage.offset + word.end()),)
            inside = (any(overlap(span, mention) for mention in left), any(overlap(span, mention) for mention in right))
            table[inside] += 1
    words = sum(table.values())
    agreed = ratio(table[True, True] + table[False, False], words)
    first, second = (ratio(table[True, True] + table[alone], words) for alone in ((True, False), (False, True)))
    chance = first * second + (1 - first) * (1 - second)
    return 1.0 if chance == 1 or not words else (agreed - chance) / (1 - chance)


# -- the tables ---------------------------------------------------------------------------------


def _write_tables(
    folder: OwnedFolder,
    annotated: PassageChanges,
    shared: PassageChanges,
    passages: Mapping[PassageKey, BioCPassage],
    names: Sequence[str],
) -> None:
    """Write the changes, and the mentions on which the annotators of a passage differ.

    Of these, a cell is `absent`, or has the identifiers that the annotator gives.
    """
    changed: list[Sequence[object]] = [_COLUMNS]
    for key, by_name in annotated.items():
        for name, changes in by_name.items():
            for change in changes:
                place = _cells(passages[key], change.spans or (change.former.spans if change.former else ()))
                changed.append((*key, name, change.kind, *place, _words(change.identifiers), change.before))
    contested: list[Sequence[object]] = [("document", "offset", "spans", "text", *names)]
    for key, by_name in shared.items():
        for spans in sorted({change.spans for changes in by_name.values() for change in changes if change.spans}):
            answers = {
                name: [change.identifiers for change in changes if change.spans == spans]
                for name, changes in by_name.items()
            }
            if len({tuple(sorted(identifiers or () for identifiers in answer)) for answer in answers.values()}) > 1:
                words = {name: " | ".join(map(_words, answer)) or "absent" for name, answer in answers.items()}
                contested.append((*key, *_cells(passages[key], spans), *(words.get(name, "") for name in names)))
    for file, rows in (("changes.tsv", changed), ("adjudication.tsv", contested)):
        lines = ("\t".join(table_cell(str(cell)) for cell in row) + "\n" for row in rows)
        folder.write_text(REPORT / file, "".join(lines))


def _cells(passage: BioCPassage, spans: Spans) -> tuple[str, str]:
    """The spans of a mention, and its text."""
    text = passage_text(passage)
    words = (text[start - passage.offset : end - passage.offset] for start, end in spans)
    return "+".join(f"{start}-{end}" for start, end in spans), " ".join(words)


def _words(identifiers: tuple[str, ...] | None) -> str:
    return "not stated" if identifiers is None else ",".join(identifiers) or NO_CONCEPT
