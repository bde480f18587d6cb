"""The probability that a text has the right concepts: a logistic regression on how they were found.

It holds for texts that are chemicals; whether a text is one is the score of its tagger. The step `normalize` writes it.
Elsewhere it is computed from the annotated article, so that earlier outputs have it too.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from corpora.model.document import Evidence, Mention, set_identifiers
from indexing.learning import model_file
from indexing.learning.linear import Columns, Linear, matrix_of
from sieves.article import SIEVE, is_short_form
from sieves.registry import DEFAULT_ORDER

KIND = "linking"
"""The kind of the model file."""
EMBEDDED = Path(__file__).with_name("linking.json")
"""Made by benchmarks/retrain/linking.py."""
FORM = ("short form", "short form alone", "length", "several concepts")
_SIEVE = "sieve "
FEATURES = (*FORM, *(f"{_SIEVE}{name}" for name in (*DEFAULT_ORDER, SIEVE)))


@dataclass(frozen=True, slots=True)
class ConceptLink:
    """A text of an article, its concepts, and the sieve that found them."""

    text: str
    identifiers: tuple[str, ...]
    sieve: str


def link_of(text: str, identifiers: Sequence[str], evidence: Evidence) -> ConceptLink | None:
    """The link of a mention; None if it has no concept, or its evidence names no sieve."""
    # A JSON file may have a number where text is expected.
    return ConceptLink(text, tuple(identifiers), str(evidence.sieve)) if identifiers and evidence.sieve else None


def probabilities_of(links: Iterable[ConceptLink | None]) -> dict[ConceptLink | None, float]:
    """The probability of each link of an article. Links are left out if the model has no examples of their sieve.

    Raises `ResourceError` if the model is damaged.
    """
    model = embedded()
    distinct = [link for link in dict.fromkeys(links) if link is not None]
    probabilities = model.probabilities(matrix_of(columns_of(distinct), model.features)).tolist()
    known = {name.removeprefix(_SIEVE) for name in model.features}
    return {link: value for link, value in zip(distinct, probabilities, strict=True) if link.sieve in known}


def write_probabilities(mentions: Sequence[Mention], linked: Iterable[Mention]) -> None:
    """Write the probability of the concepts of `linked` as evidence. `mentions`: all of the article, with these.

    Raises `ResourceError` if the model is damaged.
    """
    chances = probabilities_of(link_of(every.text, every.identifiers, every.evidence) for every in mentions)
    for mention in linked:
        chance = chances.get(link_of(mention.text, mention.identifiers, mention.evidence))
        if chance is not None:
            set_identifiers(mention, mention.identifiers, Evidence(identifier_probability=chance))


def columns_of(links: Sequence[ConceptLink]) -> Columns:
    """The features of the distinct links of an article."""
    texts = Counter(link.identifiers for link in links)
    short = np.array([is_short_form(link.text) for link in links], dtype=np.float64)
    form = {
        "short form": short,
        "short form alone": short * [texts[link.identifiers] == 1 for link in links],
        "length": np.array([math.log(max(1, len(link.text))) for link in links]),
        "several concepts": np.array([len(link.identifiers) > 1 for link in links], dtype=np.float64),
    }
    sieves = np.array([link.sieve for link in links], dtype=object)
    return form | {
        name: np.asarray(sieves == name.removeprefix(_SIEVE), dtype=np.float64) for name in FEATURES[len(FORM) :]
    }


@cache
def embedded() -> Linear:
    """The model of the package. Raises `ResourceError` if it is damaged."""
    return model_file.read(EMBEDDED, KIND).linear(KIND, FEATURES)
