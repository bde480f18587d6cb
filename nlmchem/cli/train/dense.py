"""`nlmchem train dense`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from corpora.commands.options import option
from corpora.errors import ConfigurationError
from corpora.extras import require
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption, LexiconOption, require_file
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon

PRECISIONS = ("float32", "bfloat16")
EXAMPLE = "Example: nlmchem train dense --lexicon mesh.sqlite --minutes 10 -o encoder.safetensors"


@dataclass(frozen=True, slots=True)
class DenseTraining:
    """How an encoder of names is trained."""

    names: tuple[Path, ...] = option(
        (), "TSV or CSV file with more identifiers and names.", metavar="FILE", repeat=True
    )
    base: Path | None = option(
        None,
        "Folder of a transformer to train, or default: the encoder of the embedded tagger.",
        metavar="FOLDER",
        default_text="train character n-grams",
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
    rate: float = option(2e-5, "Learning rate of a transformer; a small one such as default needs 1e-4.", minimum=1e-9)
    precision: str = option(
        "float32", "Products of a transformer in training: float32, or bfloat16 (faster on some processors)."
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
    if training.precision not in PRECISIONS:
        raise ConfigurationError(f"--precision is {training.precision!r}; choose float32 or bfloat16")
    from sieves.dense.training import Settings, train
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        if training.base is None:
            settings = Settings(
                minutes=training.minutes, steps=training.steps, seed=training.seed, held_out=training.held_out
            )
            card = train(opened, out, settings, warn, training.names)
        else:
            card = _transformer(opened, training.base, out, training)
    if as_json:
        print(json.dumps(card))
        return
    print(
        f"{out}: {card['steps']} steps; for {card['recall_at_1']:.4f} of {card['held_out_names']} held-out names the "
        f"nearest name is a name of their concept, for {card['recall_at_5']:.4f} it is among the nearest five"
    )


def _transformer(lexicon: Lexicon, base: Path, out: Path, training: DenseTraining) -> dict[str, Any]:
    require("transformers", extra="train", purpose="the training of a transformer")
    from nlmchem.tagging.training.base import open_base
    from sieves.dense.transformer_training import TransformerSettings, train_transformer

    settings = TransformerSettings(
        rate=training.rate, minutes=training.minutes, steps=training.steps, seed=training.seed,
        held_out=training.held_out, device=training.device, bfloat16=training.precision == "bfloat16",
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        # The weights of the embedded tagger are int8; they are expanded into this folder.
        return train_transformer(lexicon, open_base(base, Path(folder)), out, settings, warn, training.names)
