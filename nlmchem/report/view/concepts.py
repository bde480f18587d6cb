"""The page of all concepts of several articles, each with links to its articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from nlmchem.report.pages import Link, PageTable, render_page
from nlmchem.report.view.article import PageConcept
from nlmchem.report.view.panel import mesh_address
from nlmchem.report.view.sides import PREDICTION

PAGE = "concepts.html"
LINKED = 20
"""Articles of a concept that are linked."""


@dataclass(slots=True)
class _RunConcept:
    """A concept of several articles. `places`: mentions, text and address of each article with mentions."""

    name: str
    terms: int = 0
    mentions: int = 0
    places: list[tuple[int, str, str]] = field(default_factory=list)


class RunConcepts:
    """Collects the concepts of articles for their page."""

    def __init__(self) -> None:
        self._by_identifier: dict[str, _RunConcept] = {}

    def add(self, article: str, page: str, concepts: Sequence[PageConcept]) -> None:
        """Add the concepts of an article, with the mentions of the prediction. `page`: the address of its page."""
        for concept in concepts:
            if not concept.identifier:
                continue
            known = self._by_identifier.setdefault(concept.identifier, _RunConcept(concept.name))
            if concept.is_term:
                known.terms += 1
                continue
            elements = [element for element in concept.elements if element.startswith(PREDICTION)]
            if elements:
                known.mentions += len(elements)
                known.places.append((len(elements), article, f"{page}#{elements[0]}"))

    def render(self, home: Link) -> str:
        """The page. `home`: link to the list of articles."""
        ordered = sorted(
            self._by_identifier.items(),
            key=lambda item: (-len(item[1].places), -item[1].mentions, item[1].name, item[0]),
        )
        head = ("Concept", "Identifier", "Articles with most mentions", "Articles", "Mentions", "As index term")
        rows, links = [], dict[tuple[int, int], tuple[Link, ...]]()
        for number, (identifier, concept) in enumerate(ordered):
            best = sorted(concept.places, key=lambda place: -place[0])[:LINKED]
            rows.append(
                (concept.name, identifier, "", str(len(concept.places)), str(concept.mentions), str(concept.terms))
            )
            if (address := mesh_address(identifier)) is not None:
                links[number, 1] = (Link(identifier, address),)
            links[number, 2] = tuple(Link(text, address) for _, text, address in best)
        table = PageTable("Concepts", head, tuple(rows), 3, "concepts", links=links, sortable=True, cards=True)
        return render_page(
            "concepts.html", "evaluation.css", "filter.js", {"entries": table, "home": home, "most": LINKED}
        )
