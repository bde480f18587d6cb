"""`nlmchem pairs`, `nlmchem train pairs` and `nlmchem evaluate pairs`."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import JsonLinesOption, JsonOption, LexiconOption, OutFileOption, SeedOption

EXAMPLE = "Example: nlmchem pairs pairs.jsonl --json > answers.jsonl"
TRAIN_EXAMPLE = "Example: nlmchem train pairs pairs.jsonl -o model.json"
EVALUATE_EXAMPLE = "Example: nlmchem evaluate pairs pairs.jsonl answers.jsonl"

PairsArgument = Annotated[
    str, typer.Argument(metavar="PAIRS", help="File of pairs: JSON lines, or JSON of BioWiC; - for standard input.")
]
DictionaryOption = Annotated[
    str,
    typer.Option(
        "--dictionary",
        metavar="PATH",
        help="Long forms of short forms: default (the embedded dictionary), a file of `nlmchem corpora dictionary` or "
        "`nlmchem train senses`, or off.",
    ),
]
EncoderOption = Annotated[
    str,
    typer.Option(
        "--encoder",
        metavar="NAME",
        help="Vectors of the terms in their sentences: default (the embedded tagger), the folder of a tagger, or off.",
    ),
]


def pairs(
    source: PairsArgument,
    lexicon: LexiconOption = None,
    dictionary: DictionaryOption = "default",
    encoder: EncoderOption = "off",
    model: Annotated[
        Path | None,
        typer.Option(help="Model from `nlmchem train pairs`. [default: the model that comes with nlmchem]"),
    ] = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Decide for each pair whether its two terms mean the same in their sentences, and print the reasons.

    The answer of a pair in the file is not read.
    """
    from corpora.pairs.files import read_pairs
    from nlmchem.pairs.features import open_features
    from nlmchem.pairs.solver import Solver, line_of, read_model
    from sieves.lexicon.lexicon import Lexicon

    found = read_pairs(source)
    given = None if model is None else read_model(model)
    terms = {pair.id: f"{pair.term1}\t{pair.term2}" for pair in found}
    answered = 0
    with Lexicon.open(lexicon) as opened:
        solver = Solver(open_features(opened, dictionary, encoder), given)
        if not as_json:
            print("pair\tanswer\tscore\tterm1\tterm2\treasons")
        for answer in solver(found, warn):
            answered += 1
            if as_json:
                print(line_of(answer))
            else:
                word = "same" if answer.same else "different"
                print(f"{answer.id}\t{word}\t{answer.score:.4f}\t{terms[answer.id]}\t{'; '.join(answer.reasons)}")
    if answered < len(found):
        raise typer.Exit(INCOMPLETE)


def train_pairs(
    sources: Annotated[
        list[str], typer.Argument(metavar="PAIRS...", help="Files of pairs with answers: JSON lines or JSON of BioWiC.")
    ],
    out: OutFileOption,
    lexicon: LexiconOption = None,
    dictionary: DictionaryOption = "default",
    encoder: EncoderOption = "off",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Train the solver of word-in-context pairs on pairs with answers."""
    from corpora.pairs.files import read_pairs
    from nlmchem.pairs.features import open_features
    from nlmchem.pairs.solver import write_model
    from nlmchem.pairs.training import learn, usable
    from sieves.lexicon.lexicon import Lexicon

    found = usable([pair for source in sources for pair in read_pairs(source)], warn)
    with Lexicon.open(lexicon) as opened:
        features = open_features(opened, dictionary, encoder)
        files = [Path(source).name for source in sources]
        card = {"files": files, "lexicon": opened.version, "seed": seed}
        card |= {"dictionary": Path(dictionary).name, "encoder": Path(encoder).name}
        model = learn(found, features.matrix(found), features.features, seed, card, warn)
    write_model(out, model)
    if as_json:
        print(json.dumps({**model.card, "out": str(out)}))
    else:
        print(f"{out}: {len(found)} pairs, accuracy {model.card['cross-validated accuracy']} in cross-validation")


def evaluate_pairs(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="File of pairs with answers.")],
    predicted: Annotated[
        list[str],
        typer.Argument(metavar="PRED...", help="Runs: outputs of `nlmchem pairs --json`, or pairs with label."),
    ],
    samples: Annotated[int, typer.Option(help="Number of bootstrap samples; 0: no bootstrap.", min=0)] = 10_000,
    seed: Annotated[int, typer.Option(help="Random seed of the bootstrap.", min=0)] = 7,
    as_json: JsonLinesOption = False,
) -> None:
    """Score answers to word-in-context pairs: accuracy by group, and a paired test of each two runs."""
    from corpora.pairs.files import read_pairs
    from corpora.run_names import run_names
    from nlmchem.evaluation import pairs as scoring

    standard = read_pairs(gold)
    runs = [scoring.read_answers(source, name) for source, name in zip(predicted, run_names(predicted), strict=True)]
    scores = {run.name: scoring.score(standard, run, samples, seed, warn) for run in runs}
    comparisons = [scoring.compare(standard, one, other, samples, seed) for one, other in combinations(runs, 2)]
    for line in (scoring.as_json if as_json else scoring.as_text)(scores, comparisons):
        print(line)
