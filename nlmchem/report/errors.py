"""The errors of each run as tables, for the report page and for `errors.tsv`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from urllib.parse import quote

from corpora.model.hierarchy import Hierarchy
from corpora.reporting import table_cell
from nlmchem.evaluation import error_analysis as errors
from nlmchem.evaluation.articles import Annotation, ArticlePair, Side
from nlmchem.evaluation.comparison import Comparison, RunResult, TrackTask
from nlmchem.evaluation.matches import SpanMatches
from nlmchem.report.article import shown_id
from nlmchem.report.marks import GOLD, PREDICTION, shown
from nlmchem.report.pages import Link, PageTable

_GROUP_COLUMNS = ("Gold", "Missed", "Gold, wrong boundaries", "Predicted", "False", "Predicted, wrong boundaries")


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
        contexts = _mention_errors(result.pairs, result.spans, places)
        counted = sorted(errors.boundary_errors(result).items(), key=lambda item: (-item[1], item[0]))
        boundaries = tuple((*error, str(number)) for error, number in counted)
        head = ("Gold", "Predicted", "Prediction", "Count")
        tables = list(_group_tables(comparison, result, training))
        return [*tables, PageTable("Wrong boundaries", head, boundaries, texts=3), contexts]
    identifier_errors = errors.identifier_errors(comparison, result, hierarchy)
    examples = _ErrorExamples(comparison, result, places)
    return [
        _sieve_table(comparison, result, identifier_errors, with_distances=hierarchy is not None),
        _identifier_table(
            "Wrong identifiers", [error for error in identifier_errors if error.wrong], examples, wrong=True
        ),
        _identifier_table(
            "Missed identifiers", [error for error in identifier_errors if not error.wrong], examples, wrong=False
        ),
    ]


def errors_tsv(comparison: Comparison, lists: Sequence[Sequence[PageTable]]) -> Iterator[str]:
    """The lines of `errors.tsv`: a header, then all rows of all tables.

    Tables have different columns, so each value is written as `column=value` in the columns field_1, field_2, ...;
    rows of small tables end with empty fields.
    """
    width = max((len(table.head) for table in chain.from_iterable(lists)), default=0)
    yield _tsv_line(["run", "list", *(f"field_{number}" for number in range(1, width + 1))])
    for result, tables in zip(comparison.results, lists, strict=True):
        for table in tables:
            for row in table.rows:
                cells = [f"{name}={value}" for name, value in zip(table.head, row, strict=True)]
                yield _tsv_line([result.name, table.caption, *cells, *[""] * (width - len(cells))])


def _tsv_line(cells: Sequence[str]) -> str:
    return "\t".join(table_cell(cell) for cell in cells) + "\n"


def _group_tables(comparison: Comparison, result: RunResult, training: Side | None) -> Iterator[PageTable]:
    groupings = dict(errors.GROUPINGS)
    text = groupings.pop("Text")
    if training is not None:
        groupings["Training"] = errors.seen_in(errors.seen_texts(training, comparison.type))
    for name, grouping in groupings.items():
        rows = tuple(_group_row(group) for group in errors.group_mentions(result, grouping))
        yield PageTable(f"Mentions by {name.lower()}", (name, *_GROUP_COLUMNS), rows)
    rows = tuple(_group_row(group) for group in errors.group_mentions(result, text) if group.errors)
    yield PageTable("Mentions by text, with errors only", ("Text", *_GROUP_COLUMNS), rows)


def _group_row(group: errors.MentionGroup) -> tuple[str, ...]:
    return tuple(map(str, astuple(group)))


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


class _ErrorExamples:
    """The first mention of an identifier in a document, as text and as link."""

    def __init__(self, comparison: Comparison, result: RunResult, places: Mapping[str, MentionPlaces]) -> None:
        self._type = comparison.type
        self.have_text = comparison.task is not TrackTask.INDEXING
        self._pairs = {pair.document: pair for pair in result.pairs}
        self._places = places

    def _first(self, error: errors.IdentifierError) -> Annotation | None:
        pair = self._pairs[error.document]
        side = pair.predicted if error.wrong else pair.gold
        located = (item for item in side.of_type(self._type) if item.locations and not item.empty)
        return next((item for item in located if error.identifier in item.identifiers), None)

    def text(self, error: errors.IdentifierError) -> str:
        """The mention in brackets, with its context."""
        mention = self._first(error)
        if mention is None:
            return ""
        before, after = _context([mention], self._pairs[error.document])
        return f"{before}[{mention.text}]{after}"

    def link(self, error: errors.IdentifierError) -> Link | None:
        """A link from the document to the mention, or to the index terms."""
        place = self._places.get(error.document)
        mention = self._first(error)
        address = None if place is None else place.of(mention)
        if address is not None and mention is None:
            address += "#index-terms"
        return None if place is None or address is None else Link(place.shown_id, address)


def _identifier_table(
    caption: str, identifier_errors: Sequence[errors.IdentifierError], examples: _ErrorExamples, wrong: bool
) -> PageTable:
    """A table with one row for errors that differ in their document only."""
    Same = tuple[str, str, str, str, str]
    groups: dict[Same, list[errors.IdentifierError]] = {}
    for error in identifier_errors:
        same = (
            error.identifier,
            " | ".join(error.texts),
            ", ".join(error.sieves),
            error.nearest or "",
            "" if error.distance is None else str(error.distance),
        )
        groups.setdefault(same, []).append(error)
    near = "Nearest gold" if wrong else "Nearest predicted"
    with_steps = any(error.distance is not None for error in identifier_errors)
    head = ["Identifier", "Mentions", *(["Sieve"] if wrong else []), *([near] if with_steps else []), "Documents"]
    column = len(head) - 1
    head += ["Example"] if examples.have_text else []
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for same, group in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        identifier, texts, sieves, nearest, distance = same
        linked = [link for link in map(examples.link, group) if link is not None]
        if len(linked) == len(group):
            links[len(rows), column] = tuple(linked)
        documents = " ".join(error.document for error in group)
        cells = [identifier, texts, *([sieves] if wrong else []), *([nearest] if with_steps else []), documents]
        cells += [examples.text(group[0])] if examples.have_text else []
        rows.append((*cells, *([distance] if with_steps else []), str(len(group))))
    numbers = ("Steps", "Count") if with_steps else ("Count",)
    return PageTable(caption, (*head, *numbers), tuple(rows), texts=len(head), links=links, cards=True)


# -- errors of mentions, with context and links to the pages of the articles ------------------


AROUND = 50
"""Characters of context on each side of a mention."""
_COLUMNS = ("Document", "Section", "Error", "Before", "Gold", "Predicted", "After")


class MentionPlaces:
    """Where the report shows an article and its mentions.

    `page`: the path of the article's page relative to the report; empty if there is no page. `shown_id`: the document
    id as pages show it.
    """

    def __init__(self, pair: ArticlePair, page: str) -> None:
        self.page = page
        self.shown_id = shown_id(pair.predicted)
        self._elements: dict[int, str] = {}
        for prefix, article in ((GOLD, pair.gold), (PREDICTION, pair.predicted)):
            for number, mention in enumerate(shown(article)):
                # Mentions are compared by identity: two mentions of an article may be equal.
                self._elements[id(mention)] = f"{prefix}{number}"

    def of(self, mention: Annotation | None) -> str | None:
        """The address of a mention (None: of the article); None if there is no page."""
        if not self.page:
            return None
        element = self._elements.get(id(mention)) if mention is not None else None
        return quote(self.page) + (f"#{element}" if element else "")


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
                return _before(text, start - offset), _after(text, end - offset)
    return "", ""


def _before(text: str, at: int) -> str:
    left = max(0, at - AROUND)
    return ("…" if left else "") + text[left:at]


def _after(text: str, at: int) -> str:
    right = at + AROUND
    return text[at:right] + ("…" if right < len(text) else "")


@dataclass(frozen=True, slots=True)
class _Error:
    """A gold and a predicted mention that overlap, or one of them alone."""

    kind: str
    gold: Annotation | None
    predicted: Annotation | None

    @property
    def mentions(self) -> list[Annotation]:
        """Its mentions, that of the gold standard first."""
        return [mention for mention in (self.gold, self.predicted) if mention is not None]


def _mention_errors(
    pairs: Iterable[ArticlePair], matches: Iterable[SpanMatches], places: Mapping[str, MentionPlaces]
) -> PageTable:
    """The table of missed and false mentions and of wrong boundaries, in the order of the text.

    `places`: by document.
    """
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for pair, match in zip(pairs, matches, strict=True):
        for error in sorted(_errors(match), key=_position):
            links.update(_links(len(rows), error, places.get(pair.document)))
            before, after = _context(error.mentions, pair)
            texts = ["" if mention is None else mention.text for mention in (error.gold, error.predicted)]
            rows.append((pair.document, errors.section(error.mentions[0], pair), error.kind, before, *texts, after))
    return PageTable("Errors in their context", _COLUMNS, tuple(rows), len(_COLUMNS), links=links, cards=True)


def _errors(match: SpanMatches) -> Iterator[_Error]:
    near = list(errors.overlapping(match))
    for gold, predicted in near:
        yield _Error("boundaries", match.gold[gold], match.predicted[predicted])
    gold_near, predicted_near = {gold for gold, _ in near}, {predicted for _, predicted in near}
    for at, mention in enumerate(match.gold):
        if not match.gold_exact[at] and at not in gold_near:
            yield _Error("missed", mention, None)
    for at, mention in enumerate(match.predicted):
        if not match.predicted_exact[at] and at not in predicted_near:
            yield _Error("false", None, mention)


def _position(error: _Error) -> tuple[int, tuple[tuple[int, int], ...], str]:
    first = error.mentions[0]
    return first.passage, first.locations, error.kind


def _links(row: int, error: _Error, place: MentionPlaces | None) -> Iterator[tuple[tuple[int, int], tuple[Link]]]:
    """The cells of a row that are links: document, gold mention, predicted mention."""
    if place is None:
        return
    targets = ((0, place.shown_id, error.mentions[0]), (4, _text(error.gold), error.gold))
    for column, text, mention in (*targets, (5, _text(error.predicted), error.predicted)):
        address = place.of(mention)
        if mention is not None and address is not None:
            yield (row, column), (Link(text, address),)


def _text(mention: Annotation | None) -> str:
    return "" if mention is None else mention.text
