"""Makes the folder of a resolver from articles: dictionary, context index, and weights fitted on hidden definitions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.errors import ConfigurationError
from corpora.reporting import Report
from corpora.storage.owned_files import OwnedFolder
from corpora.words.quantities import quantity
from nlmchem.abbreviations.inventory import Inventory, write_inventory
from nlmchem.companions.senses.building import BuildingOptions, Built, build
from nlmchem.companions.senses.choice import ARTICLE, ChoiceModel, crossfitted, fit, write_choice
from nlmchem.companions.senses.context_index import from_arrays
from nlmchem.companions.senses.names import NamesByForm, name_lines, write_names
from nlmchem.companions.senses.records import Records
from nlmchem.companions.senses.resolver import FILES
from nlmchem.companions.senses.simulation import HidingScores, hidden, score_hidden
from sieves.lexicon.lexicon import Lexicon

FEWEST_ARTICLES = 20
FEWEST_SAMPLES = 50


@dataclass(frozen=True, slots=True)
class Made:
    """What was made: counts of the dictionary, and the scores of hidden definitions by weights of other articles."""

    articles: int
    short_forms: int
    senses: int
    names: int
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
    lexicon: Lexicon | None = None,
) -> Made:
    """Write dictionary, names, context index and weights into a folder.

    `articles`: how many articles have their definitions hidden, chosen by the seed. `lexicon`: names that are one
    sense; the default one if None. Raises `ConfigurationError` if there are too few articles or hidden definitions to
    learn from, and where a file of others would be replaced.
    """
    owned = OwnedFolder(folder)
    owned.check(*FILES)
    if len(records.records) < FEWEST_ARTICLES:
        raise ConfigurationError(
            f"{quantity(len(records.records), 'article is', 'articles are')} too few for a "
            f"dictionary; give at least {FEWEST_ARTICLES}"
        )
    with nullcontext(lexicon) if lexicon is not None else Lexicon.open() as opened:
        built = build(records, options, identifier_in(opened))
    report(
        f"dictionary of {len(built.rows)} senses from {quantity(len(records.records), 'article')}, "
        f"{quantity(len(built.names), 'name')} of "
        "concepts with the initials of short forms"
    )
    if not built.names:
        report(
            "the lexicon has no name that the articles contain and that has the initials of a short form; the senses "
            "are those that articles define"
        )
    context = from_arrays(built.arrays)
    numbers = range(len(records.records))
    chosen = sorted(random.Random(options.seed).sample(numbers, min(articles, len(numbers))))
    size = len(built.rows)
    names = NamesByForm(name_lines(built.names), size)
    inventory = Inventory.of(built.rows).with_names(names)
    samples = list(hidden(records, chosen, inventory, context, built.forms))
    if len(samples) < FEWEST_SAMPLES:
        raise ConfigurationError(
            f"only {quantity(len(samples), 'definition')} of ambiguous short forms can be hidden; give more articles"
        )
    report(f"{quantity(len(samples), 'hidden definition')} of {quantity(len(chosen), 'article')}")
    scores = score_hidden(samples, crossfitted(samples, [sample.article for sample in samples]))
    facts = {**(card or {}), "articles": len(records.records), "hidden definitions": len(samples)}
    model = ChoiceModel({ARTICLE: fit(samples)}, facts)
    with owned.staging() as part:
        written = _write(part, built, model)
    ambiguous = sum(len(senses) > 1 for _, senses in inventory.items())
    return Made(len(records.records), len(inventory), size, len(names), ambiguous, written, scores)


def identifier_in(lexicon: Lexicon) -> Callable[[str], str | None]:
    """A function that returns the identifier of the concept with a name; None if there is none, or more than one."""

    def identify(name: str) -> str | None:
        identifiers = {identifier for match in lexicon.lookup(name)[:1] for identifier in match.identifiers}
        return identifiers.pop() if len(identifiers) == 1 else None

    return identify


def _write(folder: Path, built: Built, model: ChoiceModel) -> int:
    from safetensors.numpy import save

    paths = dictionary, names, context, weights = [folder / name for name in FILES]
    write_inventory(dictionary, built.rows)
    write_names(names, built.names)
    context.write_bytes(save(dict(sorted(built.arrays.items()))))
    write_choice(weights, model)
    return sum(path.stat().st_size for path in paths)
