"""`nlmchem train dense`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import JsonOption, LexiconOption, require_file
from nlmchem.options import option

EXAMPLE = "Example: nlmchem train dense --lexicon mesh.sqlite --minutes 10 -o encoder.safetensors"


@dataclass(frozen=True, slots=True)
class DenseTraining:
    """How an encoder of names is trained."""

    names: tuple[Path, ...] = option(
        (), "TSV or CSV file with more identifiers and names.", metavar="FILE", repeat=True
    )
    base: Path | None = option(
        None, "Folder of a transformer to train.", metavar="FOLDER", default_text="train character n-grams"
    )
    minutes: float = option(5.0, "Duration of the training in minutes.", minimum=0.001)
    steps: int | None = option(None, "Number of batches after which the training ends, if that is earlier.", minimum=1)
    seed: int = option(0, "Random seed. The same seed gives the same result.", minimum=0)
    held_out: float = option(
        0.05,
        "Share of the concepts with three or more names of which one name is held out for validation.",
        minimum=0,
        maximum=1,
    )
    device: str = option("cpu", "Where a transformer is trained: cpu, cuda or cuda:N.")


@expand_options
def dense(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file of weights to write (.safetensors); with --base a new folder.")
    ],
    training: DenseTraining,
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train an encoder of names for the dense fallback, with the synonyms of a lexicon."""
    if training.base is None:
        require_file(out)
    from sieves.dense.training import Settings, train
    from sieves.dense.transformer_training import TransformerSettings, train_transformer
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        if training.base is None:
            settings = Settings(
                minutes=training.minutes, steps=training.steps, seed=training.seed, held_out=training.held_out
            )
            card = train(opened, out, settings, warn, training.names)
        else:
            of_transformer = TransformerSettings(
                minutes=training.minutes, steps=training.steps, seed=training.seed, held_out=training.held_out,
                device=training.device,
            )  # fmt: skip
            card = train_transformer(opened, training.base, out, of_transformer, warn, training.names)
    if as_json:
        print(json.dumps(card))
        return
    print(
        f"{out}: {card['steps']} steps; for {card['recall_at_1']:.4f} of {card['held_out_names']} held-out names the "
        f"nearest name is a name of their concept, for {card['recall_at_5']:.4f} it is among the nearest five"
    )
