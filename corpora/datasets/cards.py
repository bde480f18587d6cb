"""Data cards of corpora: description, source, permitted use and size.

Those of this package are stored in cards.json. Installed packages add cards by the entry point `nlmchem.datasets`.

A reader must reproduce the counts of its card. `corpora.tools.statistics` compares them, which detects another
version of a corpus.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.plugins import Registry

ARTICLES = "articles"
"""The kind of a corpus that is read as BioC documents. The items of the other kinds are dataclasses (`samples`)."""

_CARDS = Path(__file__).with_name("cards.json")

Roles = Mapping[str, tuple[str, ...]]
"""The files that a reader needs: path patterns by role, such as `{"text": ("*_abstracts.tsv",)}`."""


@dataclass(frozen=True, slots=True)
class Form:
    """One published form of a corpus: the files of each split.

    Patterns match the end of a path, as in `PurePosixPath.match`. In an archive it is the path inside the archive,
    without `.gz`, `.xz` or `.bz2`.
    """

    name: str
    splits: Mapping[str, Roles]


@dataclass(frozen=True, slots=True)
class Card:
    """A data card."""

    name: str
    title: str
    kind: str
    reader: str
    """A name of `corpora.datasets.registry.READERS`, or `module:function` for a reader of another package."""
    source: str
    licence: str
    use: str
    citation: str
    notes: str
    forms: tuple[Form, ...]
    counts: Mapping[str, Mapping[str, int]]
    """By split, then by the name of the count; counts that are not published are left out."""


@cache
def cards() -> Mapping[str, Card]:
    """All cards by name: first the cards of cards.json in their order, then the cards of installed packages.

    Raises `ConfigurationError` for a package with a card that cannot be used.
    """
    built_in = {entry["name"]: _card(entry) for entry in json.loads(_CARDS.read_text(encoding="utf-8"))}
    return dict(Registry("nlmchem.datasets", Card, built_in).items())


def card(name: str) -> Card:
    """The card of a corpus. Raises `ConfigurationError` for an unknown name."""
    chosen = cards().get(name)
    if chosen is None:
        raise ConfigurationError(f"no corpus is called {name!r}; choose one of {', '.join(cards())}")
    return chosen


def read_card(path: Path) -> Card:
    """The card in a JSON file of one object, as in cards.json."""
    return _card(json.loads(path.read_text(encoding="utf-8")))


def _card(entry: dict[str, Any]) -> Card:
    def splits(given: dict[str, dict[str, str | list[str]]]) -> dict[str, Roles]:
        return {
            split: {role: (value,) if isinstance(value, str) else tuple(value) for role, value in roles.items()}
            for split, roles in given.items()
        }

    forms = tuple(Form(form["name"], splits(form["splits"])) for form in entry["forms"])
    needed = {key: entry[key] for key in ("name", "kind", "reader")}
    texts = {key: entry.get(key, "") for key in ("title", "source", "licence", "use", "citation", "notes")}
    return Card(**needed, **texts, forms=forms, counts=entry.get("counts", {}))
