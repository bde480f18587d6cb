"""`nlmchem train encoder`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from corpora.commands.options import option
from corpora.extras import require
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption, MinutesOption, OutFolderOption, SplitOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem train encoder acronyms/ --base all-MiniLM-L6-v2/ -o encoder/"


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """How an encoder of sentences is trained."""

    passes: float = option(1.0, "Passes over the samples.", minimum=0.001)
    rate: float = option(2e-5, "Learning rate.", minimum=1e-9)
    batch: int = option(16, "Sentences in a batch.", minimum=1)
    seed: int = option(0, "Random seed. The same seed gives the same result.", minimum=0)
    device: str = option("cpu", "Where the encoder is trained: cpu, cuda or cuda:N.")
    bfloat16: bool = option(False, "Products of the encoder in bfloat16 (faster on some processors).")


@expand_options
def encoder(
    samples: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="A folder of `corpora dictionary --samples`, or of the corpus named by --corpus."
        ),
    ],
    base: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder of the encoder of sentences to start from.")],
    out: OutFolderOption,
    training: EncoderTraining,
    corpus: Annotated[str, typer.Option(metavar="NAME", help="Corpus of acronyms: gladis, sciad or uad.")] = "gladis",
    split: SplitOption = None,
    minutes: MinutesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train an encoder of sentences to know which long form a short form means.

    Each sentence learns to be nearer to its long form than to other long forms of the short form. A tenth of the short
    forms is held out, and scored before and after. Use the folder with `nlmchem abbreviations --undefined --encoder`.
    """
    from corpora.datasets.registry import open_corpus
    from corpora.datasets.samples import AcronymSample
    from sieves.dense.sentence_training import SentenceTraining, train_sentences

    require("transformers", extra="train", purpose="the training of a transformer")
    items = list(open_corpus(corpus, str(samples)).read(split, warn))
    found = [one for one in items if isinstance(one, AcronymSample) and one.long_form]
    settings = SentenceTraining(
        training.passes, training.rate, training.batch, training.seed, training.device, training.bfloat16
    )
    card = train_sentences(found, base, out, settings, warn, minutes)
    if card is None:
        warn("the time is over; run the same command again to continue")
        raise typer.Exit(INCOMPLETE)
    if as_json:
        print(json.dumps(card))
        return
    print(
        f"{out}: {card['steps']} steps; the nearest long form is right in {card['accuracy']:.4f} of "
        f"{card['held_out_samples']} sentences with other short forms (before {card['accuracy_before']:.4f}, the most "
        f"frequent long form {card['accuracy_of_the_most_frequent']:.4f})"
    )
    if card["accuracy"] <= card["accuracy_before"]:
        warn(f"the new encoder is not better: keep {base}")
