"""`nlmchem evaluate senses`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from nlmchem.cli.shared import JsonOption, SentenceEncoderOption, SplitOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem evaluate senses gladis downloads/gladis --split dev --dictionary default"


def senses(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help="A corpus of acronyms: sciad, gladis or uad.")],
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Its folder or archive.")],
    split: SplitOption = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="NAME,...",
            help="Methods: first, popularity, bm25, model, encoder; joined by commas. [default: all; encoder only with "
            "--encoder]",
            show_default=False,
        ),
    ] = None,
    dictionary: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="Take the candidates from this dictionary (default: the embedded one), not from that of the corpus.",
        ),
    ] = None,
    encoder: SentenceEncoderOption = None,
    samples: Annotated[int, typer.Option(help="Bootstrap samples.", min=0)] = 1000,
    seed: Annotated[int, typer.Option(help="Random seed of the bootstrap samples.", min=0)] = 0,
    as_json: JsonOption = False,
) -> None:
    """Score the choice among the senses of acronyms in sentences, by the measures of SDU and of GLADIS."""
    from dataclasses import asdict

    from corpora.datasets.registry import open_corpus
    from corpora.datasets.samples import AcronymSample
    from corpora.errors import ConfigurationError
    from nlmchem.companions.senses.evaluation import SDU_NOTE, as_text, score_senses
    from nlmchem.companions.senses.resolver import open_resolver
    from nlmchem.companions.senses.sentences import METHODS, decide, method

    default = ",".join(name for name in METHODS if name != "encoder" or encoder is not None)
    names = [name.strip() for name in (methods or default).split(",")]
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ConfigurationError(f"there is no method {unknown[0]!r}; the methods are {', '.join(METHODS)}")
    if "encoder" in names and encoder is None:
        raise ConfigurationError("the method encoder needs an encoder; add --encoder with default or a folder")
    own = dictionary is not None
    resolver = open_resolver(None if dictionary in (None, "default") else dictionary, warn, encoder)
    items = list(open_corpus(corpus, folder).read(split, warn))
    gold = [one for one in items if isinstance(one, AcronymSample) and one.long_form]
    if not gold:
        raise ConfigurationError(f"{corpus} has no acronyms with their senses; use sciad, gladis or uad")
    inventory = resolver.inventory if own else None
    rows = {
        name: score_senses(decide(gold, inventory, method(name, resolver, gold, inventory)), samples, seed)
        for name in names
    }
    if as_json:
        print(json.dumps({"note": SDU_NOTE, "methods": {name: asdict(scores) for name, scores in rows.items()}}))
        return
    for line in as_text(rows):
        print(line)
    warn(SDU_NOTE)
