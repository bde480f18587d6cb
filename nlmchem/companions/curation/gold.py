"""Makes gold articles of a selection and the tasks that came back, with an account of every change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from bioc import BioCDocument, BioCPassage

from corpora.errors import ConfigurationError, OptionError
from corpora.model.document import add_mention, clear_identifiers, fresh_ids, mentions, set_annotator, set_identifiers
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.model.passages import passage_text
from corpora.reporting import Report, table_cell
from corpora.storage.owned_files import OwnedFolder
from nlmchem.companions.curation.agreement import as_json, pairs
from nlmchem.companions.curation.changes import KINDS, MERGES, Change, changes_of, is_contested, merged, ranked
from nlmchem.companions.curation.exporting import chemicals
from nlmchem.companions.curation.infons import set_change, set_chosen_for
from nlmchem.companions.curation.selection import ARTICLES, open_selection, shallow, write_account, write_collection
from nlmchem.companions.curation.tasks_done import DONE, OPEN, Place, Returned, read_returned

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
