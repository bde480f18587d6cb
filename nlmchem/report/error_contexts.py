"""The errors of a run one by one: each with its context and links to its place on the pages of the articles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from nlmchem.evaluation.articles import Annotation, Pair
from nlmchem.evaluation.error_analysis import overlapping, section
from nlmchem.evaluation.spans import SpanMatches
from nlmchem.report.sides import GOLD, PREDICTION, shown
from nlmchem.report.tables import Link, Table

__all__ = ["AROUND", "Places", "context", "mention_errors"]

AROUND = 50
"""Characters of context on each side of a mention."""
_COLUMNS = ("Document", "Section", "Error", "Before", "Gold", "Predicted", "After")


class Places:
    """Where the report shows an article and its mentions.

    `page`: the path of the article's page relative to the report; empty if there is no page.
    """

    def __init__(self, pair: Pair, page: str) -> None:
        self.page = page
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


def context(mentions: Sequence[Annotation], pair: Pair) -> tuple[str, str]:
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


def mention_errors(pairs: Iterable[Pair], matches: Iterable[SpanMatches], places: Mapping[str, Places]) -> Table:
    """The table of missed and false mentions and of wrong boundaries, in the order of the text.

    `places`: by document.
    """
    rows: list[tuple[str, ...]] = []
    links: dict[tuple[int, int], tuple[Link, ...]] = {}
    for pair, match in zip(pairs, matches, strict=True):
        for error in sorted(_errors(match), key=_position):
            links.update(_links(len(rows), pair.document, error, places.get(pair.document)))
            before, after = context(error.mentions, pair)
            texts = ["" if one is None else one.text for one in (error.gold, error.predicted)]
            rows.append((pair.document, section(error.mentions[0], pair), error.kind, before, *texts, after))
    return Table("Errors in their context", _COLUMNS, tuple(rows), len(_COLUMNS), links=links, cards=True)


def _errors(match: SpanMatches) -> Iterator[_Error]:
    near = list(overlapping(match))
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


def _links(
    row: int, document: str, error: _Error, place: Places | None
) -> Iterator[tuple[tuple[int, int], tuple[Link]]]:
    """The cells of a row that are links: document, gold mention, predicted mention."""
    targets = ((0, document, error.mentions[0]), (4, _text(error.gold), error.gold))
    for column, text, mention in (*targets, (5, _text(error.predicted), error.predicted)):
        address = None if place is None else place.of(mention)
        if mention is not None and address is not None:
            yield (row, column), (Link(text, address),)


def _text(mention: Annotation | None) -> str:
    return "" if mention is None else mention.text
