"""Makes the folder of a resolver from articles: dictionary, context index, and weights fitted on hidden definitions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from corpora.errors import ConfigurationError
from corpora.reporting import Report
from corpora.storage.owned_folder import OwnedFolder
from nlmchem.abbreviations.senses.building import BuildingOptions, build
from nlmchem.abbreviations.senses.choice import ChoiceModel, write_choice
from nlmchem.abbreviations.senses.context_index import from_arrays
from nlmchem.abbreviations.senses.hiding_scores import HidingScores, score_hidden
from nlmchem.abbreviations.senses.inventory import Inventory, write_inventory
from nlmchem.abbreviations.senses.records import Records
from nlmchem.abbreviations.senses.resolver import FILES
from nlmchem.abbreviations.senses.simulation import hidden
from nlmchem.abbreviations.senses.training import crossfitted, fit
from sieves.lexicon.lexicon import Lexicon

FEWEST_ARTICLES = 20
FEWEST_SAMPLES = 50


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: counts of the dictionary, and the scores of hidden definitions by weights of other articles."""

    articles: int
    short_forms: int
    senses: int
    ambiguous: int
    bytes: int
    scores: HidingScores


def make_folder(
    records: Records,
    folder: Path,
    report: Report,
    articles: int = 1000,
    options: BuildingOptions = BuildingOptions(),  # noqa: B008
    card: Mapping[str, Any] | None = None,
) -> Made:
    """Write dictionary, context index and weights into a folder.

    `articles`: how many articles have their definitions hidden, chosen by the seed. Raises `ConfigurationError` if
    there are too few articles or hidden definitions to learn from, and where a file of others would be replaced.
    """
    owned = OwnedFolder(folder, earlier=FILES)
    owned.check(*FILES)
    if len(records.records) < FEWEST_ARTICLES:
        raise ConfigurationError(
            f"{len(records.records)} articles are too few for a dictionary; give at least {FEWEST_ARTICLES}"
        )
    with Lexicon.open() as lexicon:
        built = build(records, options, identifier_in(lexicon))
    report(f"dictionary of {len(built.rows)} senses from {len(records.records)} articles")
    inventory, context = Inventory.of(built.rows), from_arrays(built.arrays)
    numbers = range(len(records.records))
    chosen = sorted(random.Random(options.seed).sample(numbers, min(articles, len(numbers))))
    samples = list(hidden(records, chosen, inventory, context, built.forms))
    if len(samples) < FEWEST_SAMPLES:
        raise ConfigurationError(
            f"only {len(samples)} definitions of ambiguous short forms can be hidden; give more articles"
        )
    report(f"{len(samples)} hidden definitions of {len(chosen)} articles")
    scores = score_hidden(samples, crossfitted(samples))
    facts = {**(card or {}), "articles": len(records.records), "hidden definitions": len(samples)}
    with owned.staging() as part:
        size = _write(part, built.rows, built.arrays, fit(samples, facts))
    ambiguous = sum(len(senses) > 1 for _, senses in inventory.items())
    return Made(len(records.records), len(inventory), len(built.rows), ambiguous, size, scores)


def identifier_in(lexicon: Lexicon) -> Callable[[str], str | None]:
    """A function that returns the identifier of the concept with a name; None if there is none, or more than one."""

    def identify(name: str) -> str | None:
        found = {identifier for match in lexicon.lookup(name)[:1] for identifier in match.identifiers}
        return found.pop() if len(found) == 1 else None

    return identify


def _write(folder: Path, rows: Any, arrays: Mapping[str, np.ndarray[Any, Any]], model: ChoiceModel) -> int:
    from safetensors.numpy import save

    dictionary, context, weights = (folder / name for name in FILES)
    write_inventory(dictionary, rows)
    context.write_bytes(save(dict(sorted(arrays.items()))))
    write_choice(weights, model)
    return sum(path.stat().st_size for path in (dictionary, context, weights))
