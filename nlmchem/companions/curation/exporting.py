"""Hands a selection to an annotation editor: its chemicals, with the concepts that each may mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from bioc import BioCDocument, BioCPassage

from corpora.errors import OptionError, command
from corpora.formats import registry
from corpora.formats.format import Folder, Header
from corpora.model.chemical import CHEMICAL
from corpora.model.document import Mention, add_mention, fresh_ids, mentions_of, set_identifiers
from corpora.model.mention_infons import set_candidates
from corpora.model.passages import passage_text, section_type, set_section_type
from corpora.reporting import Report
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from corpora.words.short_texts import cached
from corpora.writing import check_target, refuse_documents, write_articles
from nlmchem.companions.curation.infons import chosen_for, set_chosen_for
from nlmchem.companions.curation.selection import open_selection, write_account

MADE_BY = "nlmchem curate export"
TASKS = "tasks"
EDITOR = PurePosixPath("editor")
"""The folder for what is given to the editor and is no task."""
CANDIDATES = 5
"""Concepts that are listed for each mention."""

Concept = tuple[str, str | None, float | None]
"""Identifier, preferred name, score 0 to 1."""


def export(selection: Path, format: str, out: Path, lexicon: str | Path | None, report: Report) -> tuple[int, int]:
    """Write the tasks of a selection for an editor, and what it needs beside them. Returns articles and passages.

    Only the chemicals of a passage are in a task; the rest of the selection is added again when the tasks come back.
    Raises `OptionError` for a format without an editor, and `ConfigurationError` for a folder that has other files.
    """
    from nlmchem.api.concepts import lookup

    name = registry.canonical(format)
    if name not in registry.editor_names():
        names = ", ".join(registry.editor_names())
        raise OptionError("to", f"is {format!r}, which no editor reads; use one of {names}")
    documents = open_selection(selection)
    writer = registry.writable(name)
    refuse_documents(out)
    losses: list[str] = []

    @cached(4096)
    def concepts(text: str) -> list[Concept]:
        return [(",".join(found.identifiers), found.name, found.score) for found in lookup(text, lexicon)[:CANDIDATES]]

    articles = (writer.dumps(task_document(document, concepts), losses.append) for document in documents.values())
    if isinstance(writer, Folder):
        check_target(writer, out)
        write_articles(writer, articles, Header(), out)
        folder = OwnedFolder(out)
    else:
        folder = OwnedFolder(out)
        with folder.writing(PurePosixPath(TASKS + registry.suffix_of(name))) as stream:
            writer.write(articles, Header("nlmchem curate"), stream)
    for file, content in registry.named(name).files_beside([CHEMICAL]).items():
        # brat reads its configuration beside the articles.
        folder.write_bytes(PurePosixPath(file) if isinstance(writer, Folder) else EDITOR / file, content)
    passages = sum(len(document.passages) for document in documents.values())
    write_account(folder, {"made_by": MADE_BY, "format": name, "articles": len(documents), "passages": passages})
    if losses:
        more = f" (not shown: {quantity(len(losses) - 1, 'more sentence')} like this)" if len(losses) > 1 else ""
        report(f"{losses[0]}{more}; {command('curate import')} takes what did not change from the selection")
    return len(documents), passages


def task_document(document: BioCDocument, concepts: Callable[[str], list[Concept]]) -> BioCDocument:
    """A document with what a curator needs of each passage: text, section, reasons, and chemicals with candidates."""
    task = BioCDocument()
    task.id = document.id
    ids = fresh_ids(task, "T")
    for passage in document.passages:
        copy = BioCPassage()
        copy.offset, copy.text = passage.offset, passage_text(passage)
        if section := section_type(passage):
            set_section_type(copy, section)
        if reasons := chosen_for(passage):
            set_chosen_for(copy, reasons)
        task.add_passage(copy)
        for mention in chemicals(passage):
            score = mention.evidence.score
            added = add_mention(copy, mention.spans, id=next(ids), annotator=None, score=score)
            if mention.sought:
                set_identifiers(added, mention.identifiers)
            set_candidates(added, concepts(mention.text))
    return task


def chemicals(passage: BioCPassage) -> Iterator[Mention]:
    """The mentions that curators correct."""
    return (mention for mention in mentions_of(passage) if mention.type == CHEMICAL)
