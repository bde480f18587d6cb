"""The names of concepts in annotated corpora: surfaces, the ids that annotators gave them, and numbers of articles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bioc import BioCDocument

import corpora
from corpora.model.document import mentions
from corpora.model.mesh_ids import mesh_ids
from sieves.lexicon.keys import tidy

AGREEMENT = 0.7
"""The share of the articles with a surface in which it must have the same ids."""
CASED = 5
"""Shorter surfaces are left out: they are abbreviations, which mean something else in other articles."""


@dataclass(slots=True)
class Sightings:
    """For each surface, the number of articles in which it has certain ids (joined by `,`)."""

    articles: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, document: BioCDocument) -> None:
        """Count the chemical mentions of an article; each surface with the same ids counts once."""
        seen = {(tidy(mention.text), ",".join(mesh_ids(mention.identifiers))) for mention in mentions(document)}
        for text, ids in seen:
            if text and ids:
                self.articles[text][ids] += 1

    def agreed(self) -> Iterator[tuple[str, str, int]]:
        """(surface, ids, number of articles) of the surfaces that the articles agree on, sorted."""
        for text, counts in sorted(self.articles.items()):
            ids, count = max(counts.items(), key=lambda item: (item[1], item[0]))
            if count >= AGREEMENT * counts.total() and len(text) >= CASED:
                yield text, ids, count


def read_sightings(source: Path | Iterable[BioCDocument]) -> Sightings:
    """The sightings in a corpus: a file or folder that `corpora.read` can read, or documents."""
    sightings = Sightings()
    for document in corpora.read([str(source)]) if isinstance(source, Path) else source:
        sightings.add(document)
    return sightings
