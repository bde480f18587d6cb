"""`nlmchem train keyphrases`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from nlmchem.cli.old_expand_options import writes_file
from nlmchem.cli.shared import InputsArgument, JsonOption, OutFileOption, SeedOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem train keyphrases articles/ -o model.json"


@writes_file
def keyphrases(
    inputs: InputsArgument,
    out: OutFileOption,
    keys: Annotated[
        str | None,
        typer.Option(
            help="Keyphrases by document id: JSON {id: [[variant, ...], ...]}. [default: the keywords in the articles]"
        ),
    ] = None,
    trees: Annotated[int, typer.Option(help="Number of trees of the second stage.", min=1)] = 120,
    folds: Annotated[int, typer.Option(help="Number of folds for the choice of the threshold.", min=2)] = 5,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Train a model of keyphrases on articles and the keyphrases that people gave them.

    The keywords are the authors' keywords in JATS or PubMed XML, or a file of keys, for example from readers.
    """
    from pathlib import Path

    from corpora.extras import require
    from corpora.reading import read
    from nlmchem.companions.keyphrases import frequencies
    from nlmchem.companions.keyphrases.labels import label, label_with
    from nlmchem.companions.keyphrases.model import write
    from nlmchem.companions.keyphrases.semeval import read_keys
    from nlmchem.companions.keyphrases.training import KeyphraseTraining, train

    require("sklearn", extra="train", purpose="training a model of keyphrases")
    documents = read(inputs, report=warn)
    labelled = label(documents, warn) if keys is None else label_with(documents, read_keys(Path(keys)), warn)
    options = KeyphraseTraining(trees=trees, folds=folds, seed=seed)
    model = train(labelled, frequencies.read(), options, report=warn)
    write(out, model)
    if as_json:
        print(json.dumps({**model.card, "threshold": model.threshold, "features": list(model.first.features)}))
        return
    print(f"{out}: {len(labelled)} articles, {len(model.first.features)} features, lowest score {model.threshold:.4f}")
