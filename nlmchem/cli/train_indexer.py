"""`nlmchem train indexer`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem train indexer annotated/ --gold gold.jsonl --lexicon mesh.sqlite -o model.json"


def indexer(
    annotated: Annotated[
        list[str],
        typer.Argument(metavar="ANNOTATED...", help="Articles that nlmchem has annotated: its own faults are learnt."),
    ],
    gold: Annotated[
        str,
        typer.Option(help="Their index terms: JSON lines of ids and chemicals, BioC, or MEDLINE's citations."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The model to write (.json).")],
    lexicon: Annotated[
        Path | None, typer.Option("--lexicon", help="The lexicon that the articles were annotated with.")
    ] = None,
    as_of: Annotated[int | None, typer.Option("--as-of", help="The MeSH year that they were annotated with.")] = None,
    folds: Annotated[int, typer.Option(help="Folds in which regularisation and threshold are chosen.", min=2)] = 5,
    seed: Annotated[int, typer.Option(help="What decides which article is in which fold.", min=0)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the model's card as JSON.")] = False,
) -> None:
    """Train an indexer on annotated articles and the terms that people indexed them with."""
    from corpora.datasets.gold_terms import read_gold_terms
    from corpora.extras import require
    from corpora.reading import read
    from indexing.logistic import plain_model
    from indexing.models import write
    from indexing.training import TrainingOptions, label, train
    from sieves.lexicon.lexicon import Lexicon

    require("sklearn", extra="train", purpose="training an indexer")
    documents = read(annotated, report=_warn)
    with Lexicon.open(lexicon, as_of) as concepts:
        labelled = label(documents, read_gold_terms(gold, _warn), concepts, _warn)
        provenance = {"gold": Path(gold).name, "lexicon": concepts.version}
        model = train(labelled, concepts, TrainingOptions(folds=folds, seed=seed), provenance=provenance, report=_warn)
    write(out, plain_model(model))
    if as_json:
        print(json.dumps({**model.provenance, "threshold": model.threshold, "features": list(model.features)}))
        return
    print(f"{out}: {len(labelled)} articles, {len(model.features)} features, least score {model.threshold:.4f}")


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
