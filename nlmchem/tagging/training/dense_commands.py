"""`nlmchem train dense`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import overwrite_option, seed_option
from corpora.errors import OptionError
from corpora.extras import require
from corpora.words.quantities import quantity
from nlmchem.tagging.options import training_device
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from sieves.lexicon.lexicon import Lexicon

PRECISIONS = ("float32", "bfloat16")


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseTrainingOptions:
    """The options of `nlmchem train dense`."""

    out: Path = option(
        REQUIRED,
        "The file of weights to write (.safetensors); with `base` a new folder.",
        short="o",
        metavar="PATH",
    )
    overwrite: bool = overwrite_option()
    source: LexiconOptions = group(LexiconOptions)
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
    seed: int = seed_option()
    held_out: float = option(
        0.05,
        "Share of the concepts with three or more names of which one name is held out for validation.",
        minimum=0,
        maximum=1,
    )
    rate: float = option(2e-5, "Learning rate of a transformer; a small one such as default needs 1e-4.", minimum=1e-9)
    precision: str = option(
        "float32",
        "Products of a transformer in training: float32, or bfloat16 (faster on some processors).",
        choices=PRECISIONS,
    )
    device: str = training_device()


def train_dense(options: DenseTrainingOptions, progress: Progress) -> Result:
    """Train an encoder of names for the dense fallback, with the synonyms of a lexicon."""
    if options.base is None and options.out.is_dir():
        raise OptionError("out", f"must be a file, but {options.out} is a folder")
    with options.source.open(progress) as lexicon:
        card = (_ngrams if options.base is None else _transformer)(lexicon, options, progress)
    return record(
        card,
        f"{options.out}: {quantity(card['steps'], 'step')}; for {card['recall_at_1']:.4f} of "
        f"{card['held_out_names']} held-out "
        "names the nearest name is a name of their concept, for "
        f"{card['recall_at_5']:.4f} it is among the nearest five",
        files=(options.out,),
    )


def _ngrams(lexicon: Lexicon, options: DenseTrainingOptions, progress: Progress) -> dict[str, Any]:
    from sieves.dense.training import DenseSettings, train

    require("torch", extra="train", purpose="the training of an encoder")
    settings = DenseSettings(minutes=options.minutes, steps=options.steps, seed=options.seed, held_out=options.held_out)
    return train(lexicon, options.out, settings, progress, options.names)


def _transformer(lexicon: Lexicon, options: DenseTrainingOptions, progress: Progress) -> dict[str, Any]:
    require("torch", "transformers", extra="train", purpose="the training of a transformer")
    from nlmchem.tagging.training.base import open_base
    from sieves.dense.training import TransformerSettings, train_transformer

    settings = TransformerSettings(
        rate=options.rate, minutes=options.minutes, steps=options.steps, seed=options.seed,
        held_out=options.held_out, device=options.device, bfloat16=options.precision == "bfloat16",
    )  # fmt: skip
    with TemporaryDirectory() as folder:
        # The weights of the embedded tagger are int8; they are expanded into this folder.
        base = open_base(options.base or Path(), Path(folder))
        return train_transformer(lexicon, base, options.out, settings, progress, options.names)


TRAIN = Command(
    "train dense", DenseTrainingOptions, train_dense,
    Call({"out": "encoder.safetensors", "lexicon": "mesh.sqlite", "minutes": 10}),
)  # fmt: skip
