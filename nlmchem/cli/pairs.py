"""`nlmchem pairs`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import JsonLinesOption, LexiconOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem pairs pairs.jsonl --json > answers.jsonl"

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

    The answer of a pair in the file is not read. A line of PAIRS:

    \b
    {"term1": "aspirin", "sentence1": "He took aspirin.", "start1": 8, "end1": 15,
     "term2": "ASA", "sentence2": "ASA was given.", "start2": 0, "end2": 3}

    The line is not broken in the file. Each start and end is the place of the term in its sentence, in characters.
    """
    from nlmchem.companions.pairs.features import open_features
    from nlmchem.companions.pairs.files import read_pairs
    from nlmchem.companions.pairs.solver import Solver, line_of, read_model
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
