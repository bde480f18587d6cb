"""Data cards: what a corpus is, where it comes from, what one may do with it, and how much there is of it.

The cards stand in cards.json. A card's counts are what its reader must reproduce: `corpora.datasets.statistics`
compares them, so that another version of a corpus does not go unnoticed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError

__all__ = ["ARTICLES", "Card", "Form", "card", "cards"]

ARTICLES = "articles"
"""The kind of a corpus that is read as BioC documents; the other kinds are those of `samples`."""

_CARDS = Path(__file__).with_name("cards.json")

Roles = Mapping[str, tuple[str, ...]]
"""What a reader needs, by its role there, each as patterns of paths: `{"text": ("*_abstracts.tsv",)}`."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way in which a corpus is handed round: the files of each of its splits.

    Patterns are compared with the end of a path, as in `PurePosixPath.match`; the path is that inside of
    an archive, without `.gz`, `.xz` or `.bz2`.
    """

    name: str
    splits: Mapping[str, Roles]


@dataclass(frozen=True, slots=True)
class Card:
    """A data card. `counts` are by split, then by what is counted; what the publisher does not state is left out."""

    name: str
    title: str
    kind: str
    reader: str
    source: str
    licence: str
    use: str
    citation: str
    notes: str
    forms: tuple[Form, ...]
    counts: Mapping[str, Mapping[str, int]]


@cache
def cards() -> Mapping[str, Card]:
    """Every card, by name, in the order of cards.json."""
    return {entry["name"]: _card(entry) for entry in json.loads(_CARDS.read_text(encoding="utf-8"))}


def card(name: str) -> Card:
    """The card of a corpus. Raises `ConfigurationError` for an unknown name."""
    found = cards().get(name)
    if found is None:
        raise ConfigurationError(f"no corpus is called {name!r}; choose one of {', '.join(cards())}")
    return found


def _card(entry: dict[str, Any]) -> Card:
    forms = tuple(Form(form["name"], _splits(form["splits"])) for form in entry["forms"])
    texts = {key: entry.get(key, "") for key in ("title", "source", "licence", "use", "citation", "notes")}
    return Card(
        name=entry["name"],
        kind=entry["kind"],
        reader=entry["reader"],
        forms=forms,
        counts=entry.get("counts", {}),
        **texts,
    )


def _splits(given: dict[str, dict[str, str | list[str]]]) -> dict[str, Roles]:
    return {
        split: {role: (value,) if isinstance(value, str) else tuple(value) for role, value in roles.items()}
        for split, roles in given.items()
    }
