"""Counts of a corpus, their comparison with its card, and the check of its ids against the MeSH year of a lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from bioc import BioCDocument

from corpora.datasets.acronyms import AcronymSample
from corpora.datasets.cards import Card
from corpora.errors import ConfigurationError
from corpora.model.document import definitions, index_terms, mentions, set_identifiers
from corpora.model.invariant import check
from corpora.model.passages import passage_text
from corpora.words.quantities import quantity


@runtime_checkable
class Counted(Protocol):
    """An item that states its own counts, such as `{"articles": 1, "sentences": 12}`; they are added up."""

    def counts(self) -> Mapping[str, int]: ...


def measure(items: Iterable[Any]) -> dict[str, int]:
    """Counts of documents or samples, one item in memory at a time.

    For documents: `documents`, `passages`, `characters`, `definitions`, `index_terms`, `indexed` (documents with index
    terms), `violations` of the offset invariant, `pieces` of discontinuous mentions, and by type the mentions
    (`mentions.Chemical`) and the mentions with a concept (`linked.Chemical`).
    """
    counts: Counter[str] = Counter()
    shorts: set[str] = set()
    for item in items:
        match item:
            case BioCDocument():
                _count_document(item, counts)
            case AcronymSample():
                counts["samples"] += 1
                counts["masked"] += item.masked
                counts["in_dictionary"] += any(item.long_form == long.long_form for long in item.candidates)
                shorts.add(item.short_form)
                counts["short_forms"] = len(shorts)
            case Counted():
                counts.update(item.counts())
            case _:
                raise TypeError(f"cannot count a {type(item).__name__}")
    return dict(sorted(counts.items()))


def compare(card: Card, split: str, counts: Mapping[str, int]) -> list[str]:
    """A sentence for every count that differs from the card: it is another version of the corpus, or incomplete."""
    return [
        f"{card.name}, {split}: {counts.get(what, 0)} {what}, but {expected} on its card; "
        "this is another version of the corpus, or a part of it is missing"
        for what, expected in card.counts.get(split, {}).items()
        if counts.get(what, 0) != expected
    ]


def _count_document(document: BioCDocument, counts: Counter[str]) -> None:
    counts["documents"] += 1
    counts["passages"] += len(document.passages)
    counts["characters"] += sum(len(passage_text(passage)) for passage in document.passages)
    counts["violations"] += len(check(document))
    counts["definitions"] += sum(1 for definition in definitions(document) if not definition.is_occurrence)
    terms = sum(1 for _ in index_terms(document))
    counts["index_terms"] += terms
    counts["indexed"] += terms > 0
    for mention in mentions(document, None):
        counts[f"mentions.{mention.type}"] += 1
        counts[f"linked.{mention.type}"] += bool(mention.identifiers)
        counts["pieces"] += len(mention.spans) if len(mention.spans) > 1 else 0


# -- ids ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class IdentifierCheck:
    """How often the ids of a corpus are known to a lexicon, replaced by another id, or unknown."""

    known: int = 0
    replaced: Counter[tuple[str, str]] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)

    def sentences(self) -> list[str]:
        """The result as sentences: one for replaced ids and one for unknown ids, where there are any."""
        sentences: list[str] = []
        if self.replaced:
            (old, new), number = self.replaced.most_common(1)[0]
            sentences.append(
                f"{sum(self.replaced.values())} of its ids ({len(self.replaced)} distinct) have been replaced, "
                f"such as {old} by {new} ({quantity(number, 'time')})"
            )
        if self.unknown:
            example, number = self.unknown.most_common(1)[0]
            sentences.append(
                f"{sum(self.unknown.values())} of its ids ({len(self.unknown)} distinct) are not in the lexicon, "
                f"such as {example} ({quantity(number, 'time')}); the corpus may use another MeSH year"
            )
        return sentences


def read_successors(path: Path) -> dict[str, str]:
    """Old and new identifiers from lines `old<TAB>new`. Raises `ConfigurationError`."""
    try:
        rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return {old.strip(): new.strip() for old, new in rows}
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path} must contain lines `old<TAB>new` of identifiers ({error}); correct it"
        ) from error


def check_identifiers(
    document: BioCDocument,
    known: Callable[[str], bool],
    replaced: Mapping[str, str],
    result: IdentifierCheck,
    rewrite: bool = False,
) -> None:
    """Count in `result` which ids of a document's mentions and index terms are known, replaced or unknown.

    `known` returns whether the lexicon has an id. `replaced` maps ids of other MeSH years to ids of the lexicon; an id
    in it counts as replaced even if the lexicon still has it. With `rewrite`, mentions get the new ids.
    """

    def checked(identifier: str) -> str:
        new = replaced.get(identifier)
        if new is not None:
            result.replaced[identifier, new] += 1
            return new
        if known(identifier):
            result.known += 1
        else:
            result.unknown[identifier] += 1
        return identifier

    for mention in mentions(document, None):
        new = list(map(checked, mention.identifiers))
        if rewrite and tuple(new) != mention.identifiers:
            set_identifiers(mention, new)
    for term in index_terms(document):
        checked(term.identifier)
