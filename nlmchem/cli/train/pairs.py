"""`nlmchem train pairs`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from nlmchem.cli.old_expand_options import writes_file
from nlmchem.cli.pairs import DictionaryOption, EncoderOption
from nlmchem.cli.shared import JsonOption, LexiconOption, OutFileOption, SeedOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem train pairs pairs.jsonl -o model.json"


@writes_file
def pairs(
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
    from nlmchem.companions.pairs.features import open_features
    from nlmchem.companions.pairs.solver import write_model
    from nlmchem.companions.pairs.training import learn, usable
    from sieves.lexicon.lexicon import Lexicon

    files = [Path(source).name for source in sources]
    read = [usable(read_pairs(source), warn) for source in sources]
    found = [pair for own in read for pair in own]
    # Files with the same name are named by their paths.
    names = files if len(set(files)) == len(files) else sources
    origins = [name for name, own in zip(names, read, strict=True) for _ in own]
    with Lexicon.open(lexicon) as opened:
        features = open_features(opened, dictionary, encoder)
        card = {"files": files, "lexicon": opened.version, "seed": seed}
        card |= {"dictionary": Path(dictionary).name, "encoder": Path(encoder).name}
        model = learn(found, features.matrix(found), features.features, seed, card, warn, origins)
    write_model(out, model)
    if as_json:
        print(json.dumps({**model.card, "out": str(out)}))
    else:
        print(f"{out}: {len(found)} pairs, accuracy {model.card['cross-validated accuracy']} in cross-validation")
