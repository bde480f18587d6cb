"""The errors of each run as tables, for the report page and for `errors.tsv`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from itertools import chain
from urllib.parse import quote

from corpora.model.hierarchy import Hierarchy
from corpora.reporting import table_cell
from nlmchem.evaluation import error_analysis as errors
from nlmchem.evaluation.articles import Annotation, ArticlePair, Side
from nlmchem.evaluation.comparison import Comparison, RunResult, TrackTask
from nlmchem.report.article import shown_id
from nlmchem.report.marks import GOLD, PREDICTION, shown
from nlmchem.report.pages import Link, PageTable

AROUND = 50
"""Characters of context on each side of a mention."""


class MentionPlaces:
    """Where the report shows an article and its mentions.

    `page`: the path of the article's page relative to the report; empty if there is no page. `shown_id`: the document
    id as pages show it.
    """

    def __init__(self, pair: ArticlePair, page: str) -> None:
        self.page = page
        self.shown_id = shown_id(pair.predicted)
        # Mentions are compared by identity: two mentions of an article may be equal.
        self._elements = {
            id(mention): f"{prefix}{number}"
            for prefix, article in ((GOLD, pair.gold), (PREDICTION, pair.predicted))
            for number, mention in enumerate(shown(article))
        }

    def of(self, mention: Annotation | None) -> str | None:
        """The address of a mention (None: of the article); None if there is no page."""
        if not self.page:
            return None
        element = self._elements.get(id(mention)) if mention is not None else None
        return quote(self.page) + (f"#{element}" if element else "")


def error_lists(
    comparison: Comparison,
    result: RunResult,
    hierarchy: Hierarchy | None,
    training: Side | None,
    places: Mapping[str, MentionPlaces] | None = None,
) -> list[PageTable]:
    """The error tables of a run.

    `hierarchy`: adds the nearest identifier of the other side and the steps to it. `training`: adds the grouping by
    texts that the training corpus contains. `places`: by document, adds links to the pages of articles.
    """
    places = places or {}
    if comparison.task is TrackTask.SPANS:
        return [*_group_tables(comparison, result, training), _boundary_table(result), _mention_table(result, places)]
    found = errors.identifier_errors(comparison, result, hierarchy)
    return [
        _sieve_table(comparison, result, found, with_distances=hierarchy is not None),
        _identifier_table(comparison, result, [error for error in found if error.wrong], places, wrong=True),
        _identifier_table(comparison, result, [error for error in found if not error.wrong], places, wrong=False),
    ]


def errors_tsv(comparison: Comparison, lists: Sequence[Sequence[PageTable]]) -> Iterator[str]:
    """The lines of `errors.tsv`: a header, then all rows of all tables.

    Tables have different columns, so each value is written as `column=value` in the columns field_1, field_2, ...;
    rows of small tables end with empty fields.
    """
    width = max((len(table.head) for table in chain.from_iterable(lists)), default=0)
    lines = [["run", "list", *(f"field_{number}" for number in range(1, width + 1))]]
    for result, tables in zip(comparison.results, lists, strict=True):
        for table in tables:
            for row in table.rows:
                cells = [f"{name}={value}" for name, value in zip(table.head, row, strict=True)]
                lines.append([result.name, table.caption, *cells, *[""] * (width - len(cells))])
    for line in lines:
        yield "\t".join(map(table_cell, line)) + "\n"


# -- mentions -----------------------------------------------------------------------------------


def _group_tables(comparison: Comparison, result: RunResult, training: Side | None) -> Iterator[PageTable]:
    groupings = dict(errors.GROUPINGS)
    if training is not None:
        groupings["Training"] = errors.seen_in(training, comparison.type)
    # The table by text is the longest one, so it is the last one and shows errors only.
    groupings["Text"] = groupings.pop("Text")
    columns = ("Gold", "Missed", "Gold, wrong boundaries", "Predicted", "False", "Predicted, wrong boundaries")
    for name, grouping in groupings.items():
        groups = errors.group_mentions(result, grouping)
        only = name == "Text"
        rows = tuple(tuple(map(str, astuple(group))) for group in groups if group.errors or not only)
        caption = f"Mentions by {name.lower()}{', with errors only' if only else ''}"
        yield PageTable(caption, (name, *columns), rows)


def _boundary_table(result: RunResult) -> PageTable:
    counted = sorted(errors.boundary_errors(result).items(), key=lambda item: (-item[1], item[0]))
    rows = tuple((*error, str(number)) for error, number in counted)
    return PageTable("Wrong boundaries", ("Gold", "Predicted", "Prediction", "Count"), rows, texts=3)


def _mention_table(result: RunResult, places: Mapping[str, MentionPlaces]) -> PageTable:
    """The table of missed and false mentions and of wrong boundaries, in the order of the text."""
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for pair, match in zip(result.pairs, result.spans, strict=True):
        near = list(errors.overlapping(match))
        gold_near, predicted_near = {gold for gold, _ in near}, {predicted for _, predicted in near}
        found: list[tuple[str, Annotation | None, Annotation | None]] = []
        found += (("boundaries", match.gold[gold], match.predicted[predicted]) for gold, predicted in near)
        for at, mention in enumerate(match.gold):
            if not match.gold_exact[at] and at not in gold_near:
                found.append(("missed", mention, None))
        for at, mention in enumerate(match.predicted):
            if not match.predicted_exact[at] and at not in predicted_near:
                found.append(("false", None, mention))
        ordered = [(kind, [one for one in both if one is not None], both) for kind, *both in found]
        ordered.sort(key=lambda item: (item[1][0].passage, item[1][0].locations, item[0]))
        place = places.get(pair.document)
        for kind, mentions, both in ordered:
            texts = ["" if mention is None else mention.text for mention in both]
            if place is not None:
                targets = ((0, place.shown_id, mentions[0]), (4, texts[0], both[0]), (5, texts[1], both[1]))
                for column, text, target in targets:
                    address = place.of(target)
                    if target is not None and address is not None:
                        links[len(rows), column] = (Link(text, address),)
            before, after = _context(mentions, pair)
            rows.append((pair.document, errors.section(mentions[0], pair), kind, before, *texts, after))
    head = ("Document", "Section", "Error", "Before", "Gold", "Predicted", "After")
    return PageTable("Errors in their context", head, tuple(rows), len(head), links=links, cards=True)


def _context(mentions: Sequence[Annotation], pair: ArticlePair) -> tuple[str, str]:
    """The text before the first and after the last of mentions in one passage; empty if no passage contains them."""
    start = min(start for mention in mentions for start, _ in mention.locations)
    end = max(end for mention in mentions for _, end in mention.locations)
    for article in (pair.gold, pair.predicted):
        passages = article.layout.passages
        position = mentions[0].passage
        if position < len(passages):
            offset, text = passages[position]
            if offset <= start and end <= offset + len(text):
                left, right = max(0, start - offset - AROUND), end - offset + AROUND
                before, after = text[left : start - offset], text[end - offset : right]
                return ("…" if left else "") + before, after + ("…" if right < len(text) else "")
    return "", ""


# -- identifiers --------------------------------------------------------------------------------


def _sieve_table(
    comparison: Comparison, result: RunResult, identifier_errors: Sequence[errors.IdentifierError], with_distances: bool
) -> PageTable:
    head = ["Sieve", "Right", "Wrong"]
    if with_distances:
        head += ["Wrong, one step from gold", "Wrong, more steps", "Wrong, no path in the tree"]
    rows = []
    for sieve, right, wrong in errors.sieve_results(comparison, result, identifier_errors):
        near = sum(number for steps, number in wrong.items() if steps is not None and steps <= 1)
        counts = (right, wrong.total(), near, wrong.total() - near - wrong[None], wrong[None])
        rows.append((sieve, *map(str, counts))[: len(head)])
    return PageTable("Identifiers of documents, by the sieve that assigned them", tuple(head), tuple(rows))


def _identifier_table(
    comparison: Comparison,
    result: RunResult,
    identifier_errors: Sequence[errors.IdentifierError],
    places: Mapping[str, MentionPlaces],
    wrong: bool,
) -> PageTable:
    """A table with one row for errors that differ in their document only, with an example of the mention."""
    pairs = {pair.document: pair for pair in result.pairs}

    def first(error: errors.IdentifierError) -> Annotation | None:
        side = pairs[error.document].predicted if wrong else pairs[error.document].gold
        located = (item for item in side.of_type(comparison.type) if item.locations and not item.empty)
        return next((item for item in located if error.identifier in item.identifiers), None)

    groups: dict[tuple[str, str, str, str, str], list[errors.IdentifierError]] = {}
    for error in identifier_errors:
        distance = "" if error.distance is None else str(error.distance)
        same = (error.identifier, " | ".join(error.texts), ", ".join(error.sieves), error.nearest or "", distance)
        groups.setdefault(same, []).append(error)
    with_steps = any(error.distance is not None for error in identifier_errors)
    with_example = comparison.task is not TrackTask.INDEXING
    near = "Nearest gold" if wrong else "Nearest predicted"
    head = ["Identifier", "Mentions", *(["Sieve"] if wrong else []), *([near] if with_steps else []), "Documents"]
    column = len(head) - 1
    head += ["Example"] if with_example else []
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for same, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        identifier, texts, sieves, nearest, distance = same
        linked = []
        for error in group:
            mention, place = first(error), places.get(error.document)
            address = None if place is None else place.of(mention)
            if place is not None and address is not None:
                linked.append(Link(place.shown_id, address if mention is not None else f"{address}#index-terms"))
        if len(linked) == len(group):
            links[len(rows), column] = tuple(linked)
        documents = " ".join(error.document for error in group)
        cells = [identifier, texts, *([sieves] if wrong else []), *([nearest] if with_steps else []), documents]
        if with_example:
            mention = first(group[0])
            before, after = ("", "") if mention is None else _context([mention], pairs[group[0].document])
            cells.append("" if mention is None else f"{before}[{mention.text}]{after}")
        rows.append((*cells, *([distance] if with_steps else []), str(len(group))))
    numbers = ("Steps", "Count") if with_steps else ("Count",)
    caption = "Wrong identifiers" if wrong else "Missed identifiers"
    return PageTable(caption, (*head, *numbers), tuple(rows), texts=len(head), links=links, cards=True)
