"""`nlmchem train indexer`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.expand_options import writes_file
from nlmchem.cli.shared import AsOfOption, JsonOption, LexiconOption, OutFileOption, SeedOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem train indexer annotated/ --gold gold.jsonl --lexicon mesh.sqlite -o model.json"


@writes_file
def indexer(
    annotated: Annotated[
        list[str],
        typer.Argument(
            metavar="ANNOTATED...",
            help="Articles that nlmchem has annotated. The indexer learns with the errors of these annotations.",
        ),
    ],
    gold: Annotated[
        str,
        typer.Option(help="Their index terms: JSON lines with ids and chemicals, BioC, or MEDLINE citations."),
    ],
    out: OutFileOption,
    lexicon: LexiconOption = None,
    as_of: AsOfOption = None,
    folds: Annotated[
        int, typer.Option(help="Number of folds for the choice of regularisation and threshold.", min=2)
    ] = 5,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Train an indexer on annotated articles and the index terms that people gave them.

    Use the lexicon and the year that the articles were annotated with.
    """
    from corpora.datasets.gold_terms import read_gold_terms
    from corpora.extras import require
    from corpora.reading import read
    from indexing.terms.logistic import write_model
    from indexing.terms.training import IndexerTraining, label, train
    from sieves.lexicon.lexicon import Lexicon

    require("sklearn", extra="train", purpose="training an indexer")
    documents = read(annotated, report=warn)
    with Lexicon.open(lexicon, as_of) as concepts:
        labelled = label(documents, read_gold_terms(gold, warn), concepts, warn)
        card = {"gold": Path(gold).name, "lexicon": concepts.version}
        model = train(labelled, concepts, IndexerTraining(folds=folds, seed=seed), card=card, report=warn)
    write_model(out, model)
    if as_json:
        print(json.dumps({**model.card, "threshold": model.threshold, "features": list(model.features)}))
        return
    print(f"{out}: {len(labelled)} articles, {len(model.features)} features, lowest score {model.threshold:.4f}")
