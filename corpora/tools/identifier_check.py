"""The check of a corpus' ids against the MeSH year of a lexicon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bioc import BioCDocument

from corpora.errors import ConfigurationError
from corpora.model.document import index_terms, mentions, set_identifiers
from corpora.words.quantities import quantity


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
    for mention in mentions(document, None):
        new = [_checked(identifier, known, replaced, result) for identifier in mention.identifiers]
        if rewrite and tuple(new) != mention.identifiers:
            set_identifiers(mention, new)
    for term in index_terms(document):
        _checked(term.identifier, known, replaced, result)


def _checked(identifier: str, known: Callable[[str], bool], replaced: Mapping[str, str], check: IdentifierCheck) -> str:
    new = replaced.get(identifier)
    if new is not None:
        check.replaced[identifier, new] += 1
        return new
    if known(identifier):
        check.known += 1
    else:
        check.unknown[identifier] += 1
    return identifier
