"""The errors of each run as tables, for the report page and for `errors.tsv`.

A gold mention is found exactly, or has wrong boundaries (it overlaps a predicted mention that is not right), or is
missed. A predicted mention is right, or has wrong boundaries, or is false.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from urllib.parse import quote

from corpora.model.hierarchy import Hierarchy
from corpora.model.mesh_ids import NO_CONCEPT
from corpora.reporting import table_cell
from nlmchem.evaluation.articles import Annotation, ArticlePair, Side
from nlmchem.evaluation.comparison import Comparison, RunResult, TrackTask
from nlmchem.evaluation.matches import SpanMatches
from nlmchem.report.article import shown_id
from nlmchem.report.marks import GOLD, PREDICTION, shown
from nlmchem.report.pages import Link, PageTable

LENGTHS = ((2, "1-2 characters"), (5, "3-5 characters"), (10, "6-10 characters"), (20, "11-20 characters"))
LONGER = "21 characters or more"
_ABBREVIATION = re.compile(r"(?=(?:[^A-Z]*[A-Z]){2})[A-Za-z0-9αβγδω+/()'-]{2,10}s?")


@dataclass(slots=True)
class MentionGroup:
    """Counts of the gold and predicted mentions with a common property; `*_boundary`: with wrong boundaries."""

    label: str
    gold: int = 0
    missed: int = 0
    gold_boundary: int = 0
    predicted: int = 0
    false: int = 0
    predicted_boundary: int = 0

    @property
    def errors(self) -> int:
        """The number of errors on both sides."""
        return self.missed + self.gold_boundary + self.false + self.predicted_boundary


@dataclass(frozen=True, slots=True)
class IdentifierError:
    """An identifier that is predicted for a document and not gold (`wrong`), or gold and not predicted.

    `texts`: its mention texts. `sieves`: the sieves that assigned it, for wrong identifiers only. `nearest` and
    `distance`: the nearest identifier of the other side and the steps to it in the tree; None if there is no path.
    """

    document: str
    identifier: str
    wrong: bool
    texts: tuple[str, ...]
    sieves: tuple[str, ...]
    nearest: str | None
    distance: int | None


# -- mentions -----------------------------------------------------------------------------------

Grouping = Callable[[Annotation, ArticlePair], str]


def section(mention: Annotation, pair: ArticlePair) -> str:
    for side in (pair.gold, pair.predicted):
        if mention.passage < len(side.sections):
            return side.sections[mention.passage]
    return "no passage"


def length(mention: Annotation, pair: ArticlePair) -> str:
    """Its number of characters, in five classes."""
    number = len(mention.text)
    return next((label for limit, label in LENGTHS if number <= limit), LONGER)


def abbreviation(mention: Annotation, pair: ArticlePair) -> str:
    """Whether it is defined as an abbreviation in the article (on either side), or looks like one."""
    if any(mention.text == each.short_form for side in (pair.gold, pair.predicted) for each in side.definitions):
        return "defined in the article"
    if _ABBREVIATION.fullmatch(mention.text):
        return "looks like an abbreviation (2-10 characters, two capitals)"
    return "not an abbreviation"


GROUPINGS: dict[str, Grouping] = {
    "Text": lambda mention, pair: mention.text.casefold(),
    "Section": section,
    "Length": length,
    "Abbreviation": abbreviation,
}


def seen_in(training: Side, type: str) -> Grouping:
    """A grouping by whether a training corpus has a mention of this text, in upper or lower case."""
    texts = {item.text.casefold() for article in training.articles for item in article.of_type(type)}
    return lambda mention, pair: "seen in training" if mention.text.casefold() in texts else "not seen in training"


def group_mentions(result: RunResult, grouping: Grouping) -> list[MentionGroup]:
    """The groups, ordered by number of errors, most errors first."""
    groups: dict[str, MentionGroup] = {}
    for pair, match in zip(result.pairs, result.spans, strict=True):
        near = list(overlapping(match))
        gold_near, predicted_near = {gold for gold, _ in near}, {predicted for _, predicted in near}
        for position, mention in enumerate(match.gold):
            label = grouping(mention, pair)
            group = groups.setdefault(label, MentionGroup(label))
            group.gold += 1
            group.gold_boundary += position in gold_near
            group.missed += not match.gold_exact[position] and position not in gold_near
        for position, mention in enumerate(match.predicted):
            label = grouping(mention, pair)
            group = groups.setdefault(label, MentionGroup(label))
            group.predicted += 1
            group.predicted_boundary += position in predicted_near
            group.false += not match.predicted_exact[position] and position not in predicted_near
    return sorted(groups.values(), key=lambda group: (-group.errors, -group.gold, group.label))


def overlapping(match: SpanMatches) -> Iterator[tuple[int, int]]:
    """Positions of a gold and a predicted mention that overlap, if neither is exactly right."""
    others = [
        (at, mention)
        for at, mention in enumerate(match.predicted)
        if match.predicted_near[at] and not match.predicted_exact[at]
    ]
    for gold_at, mention in enumerate(match.gold):
        if match.gold_near[gold_at] and not match.gold_exact[gold_at]:
            for other_at, other in others:
                if any(
                    max(start, other_start) < min(end, other_end)
                    for start, end in mention.locations
                    for other_start, other_end in other.locations
                ):
                    yield gold_at, other_at


def boundary_errors(result: RunResult) -> Counter[tuple[str, str, str]]:
    """Gold and predicted mentions that overlap and differ: both texts and how the prediction differs, with counts."""
    return Counter(
        (gold.text, other.text, _kind(gold, other))
        for match in result.spans
        for gold, other in ((match.gold[at], match.predicted[other_at]) for at, other_at in overlapping(match))
    )


def _kind(gold: Annotation, predicted: Annotation) -> str:
    if gold.locations == predicted.locations:
        return "different text at the same place"
    if len(gold.locations) != len(predicted.locations):
        return "different number of locations"
    start, end = gold.locations[0][0], gold.locations[-1][1]
    other_start, other_end = predicted.locations[0][0], predicted.locations[-1][1]
    if other_start <= start and end <= other_end:
        return "too long"
    if start <= other_start and other_end <= end:
        return "too short"
    return "shifted"


# -- identifiers --------------------------------------------------------------------------------


def identifier_errors(comparison: Comparison, result: RunResult, hierarchy: Hierarchy | None) -> list[IdentifierError]:
    """Every wrong or missed identifier, ordered by document and identifier."""
    errors = []
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        for identifier in sorted(sets.predicted.keys() ^ sets.gold.keys()):
            wrong = identifier in sets.predicted
            article, others = (pair.predicted, sets.gold) if wrong else (pair.gold, sets.predicted)
            mentions = [item for item in article.of_type(comparison.type) if identifier in item.identifiers]
            texts = sorted({item.text for item in mentions})
            sieves = sorted({item.evidence.sieve or "" for item in mentions} - {""}) if wrong else ()
            distance, nearest = None, None
            if hierarchy is not None and identifier != NO_CONCEPT:
                steps = ((hierarchy.distance(identifier, other), other) for other in others)
                known = ((far, other) for far, other in steps if far is not None)
                distance, nearest = min(known, default=(None, None))
            errors.append(
                IdentifierError(pair.document, identifier, wrong, tuple(texts), tuple(sieves), nearest, distance)
            )
    return errors


def sieve_results(
    comparison: Comparison, result: RunResult, errors: Sequence[IdentifierError]
) -> list[tuple[str, int, Counter[int | None]]]:
    """For each sieve the number of right identifiers, and of wrong ones by their steps from gold; most wrong first.

    An identifier of two sieves counts for both.
    """
    distance = {(error.document, error.identifier): error.distance for error in errors if error.wrong}
    right: Counter[str] = Counter()
    wrong: defaultdict[str, Counter[int | None]] = defaultdict(Counter)
    for pair, sets in zip(result.pairs, result.identifiers, strict=True):
        given = pair.predicted.of_type(comparison.type)
        for identifier, sieve in {
            (id, item.evidence.sieve or "not stated") for item in given for id in item.identifiers
        }:
            if identifier in sets.gold:
                right[sieve] += 1
            else:
                wrong[sieve][distance[pair.document, identifier]] += 1
    results = [(sieve, right[sieve], wrong[sieve]) for sieve in right.keys() | wrong.keys()]
    return sorted(results, key=lambda item: (-item[2].total(), item[0]))


# -- tables -----------------------------------------------------------------------------------

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
    found = identifier_errors(comparison, result, hierarchy)
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
    groupings = dict(GROUPINGS)
    if training is not None:
        groupings["Training"] = seen_in(training, comparison.type)
    # The table by text is the longest one, so it is the last one and shows errors only.
    groupings["Text"] = groupings.pop("Text")
    columns = ("Gold", "Missed", "Gold, wrong boundaries", "Predicted", "False", "Predicted, wrong boundaries")
    for name, grouping in groupings.items():
        groups = group_mentions(result, grouping)
        only = name == "Text"
        rows = tuple(tuple(map(str, astuple(group))) for group in groups if group.errors or not only)
        caption = f"Mentions by {name.lower()}{', with errors only' if only else ''}"
        yield PageTable(caption, (name, *columns), rows)


def _boundary_table(result: RunResult) -> PageTable:
    counted = sorted(boundary_errors(result).items(), key=lambda item: (-item[1], item[0]))
    rows = tuple((*error, str(number)) for error, number in counted)
    return PageTable("Wrong boundaries", ("Gold", "Predicted", "Prediction", "Count"), rows, texts=3)


def _mention_table(result: RunResult, places: Mapping[str, MentionPlaces]) -> PageTable:
    """The table of missed and false mentions and of wrong boundaries, in the order of the text."""
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for pair, match in zip(result.pairs, result.spans, strict=True):
        near = list(overlapping(match))
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
            rows.append((pair.document, section(mentions[0], pair), kind, before, *texts, after))
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
    comparison: Comparison, result: RunResult, identifier_errors: Sequence[IdentifierError], with_distances: bool
) -> PageTable:
    head = ["Sieve", "Right", "Wrong"]
    if with_distances:
        head += ["Wrong, one step from gold", "Wrong, more steps", "Wrong, no path in the tree"]
    rows = []
    for sieve, right, wrong in sieve_results(comparison, result, identifier_errors):
        near = sum(number for steps, number in wrong.items() if steps is not None and steps <= 1)
        counts = (right, wrong.total(), near, wrong.total() - near - wrong[None], wrong[None])
        rows.append((sieve, *map(str, counts))[: len(head)])
    return PageTable("Identifiers of documents, by the sieve that assigned them", tuple(head), tuple(rows))


def _identifier_table(
    comparison: Comparison,
    result: RunResult,
    identifier_errors: Sequence[IdentifierError],
    places: Mapping[str, MentionPlaces],
    wrong: bool,
) -> PageTable:
    """A table with one row for errors that differ in their document only, with an example of the mention."""
    pairs = {pair.document: pair for pair in result.pairs}

    def first(error: IdentifierError) -> Annotation | None:
        side = pairs[error.document].predicted if wrong else pairs[error.document].gold
        located = (item for item in side.of_type(comparison.type) if item.locations and not item.empty)
        return next((item for item in located if error.identifier in item.identifiers), None)

    groups: dict[tuple[str, str, str, str, str], list[IdentifierError]] = {}
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
