"""`nlmchem train`: one command a model."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Train taggers, indexers and encoders of names.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

TAGGER_EXAMPLE = (
    "Example: nlmchem train tagger --base pubmedbert/ --first bc5cdr=data/bc5cdr --corpus train/ --out model/"
)


@app.callback()
def _group() -> None:
    # One command alone would be taken for the group itself.
    pass


@app.command("tagger", epilog=TAGGER_EXAMPLE)
def tagger(
    base: Annotated[Path, typer.Option("--base", help="Folder of the model to start from (safetensors).")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Output folder; the models are OUT/seed-*/*/model.")],
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="Target corpus: PATH, or NAME=FOLDER, NAME/SPLIT=FOLDER. May be repeated."),
    ] = None,
    first: Annotated[
        list[str] | None,
        typer.Option("--first", help="Outside corpus for a stage before the target's. May be repeated."),
    ] = None,
    silver: Annotated[
        list[str] | None, typer.Option("--silver", help="Silver corpus, added to the target's. May be repeated.")
    ] = None,
    silver_weight: Annotated[float, typer.Option(help="Weight of silver articles; gold is 1.", min=0.0)] = 0.5,
    dev: Annotated[
        str | None, typer.Option("--dev", help="Development corpus: the pass with the best strict F is kept.")
    ] = None,
    patience: Annotated[int, typer.Option(help="Passes without gain on --dev before it stops; 0: never.", min=0)] = 2,
    folds: Annotated[int, typer.Option(help="Folds of a cross-validation over --corpus; 0: none.", min=0)] = 0,
    seeds: Annotated[str, typer.Option(help="Seeds, joined by commas; one model each.")] = "7",
    head: Annotated[str, typer.Option(help="linear or crf.")] = "linear",
    scheme: Annotated[str, typer.Option(help="bio or bilou.")] = "bio",
    window: Annotated[int, typer.Option(help="Word pieces shown at once.")] = 256,
    letter_case: Annotated[
        bool, typer.Option("--letter-case", help="Show capitals to a model whose tokenizer folds them.")
    ] = False,
    batch: Annotated[int, typer.Option(help="Word pieces in a batch.", min=16)] = 4096,
    first_passes: Annotated[float, typer.Option(help="Passes of the first stage.")] = 1,
    first_rate: Annotated[float, typer.Option(help="Learning rate of the first stage.")] = 2e-4,
    passes: Annotated[float, typer.Option(help="Passes of the target's stage.")] = 6,
    rate: Annotated[float, typer.Option(help="Learning rate of the target's stage.")] = 1e-4,
    layer_decay: Annotated[float, typer.Option(help="Factor of the learning rate from layer to layer.")] = 1.0,
    smoothing: Annotated[float, typer.Option(help="Label smoothing of the linear head.", min=0.0, max=0.5)] = 0.0,
    dropout: Annotated[float | None, typer.Option(help="Dropout; the base model's own if not given.")] = None,
    negatives: Annotated[
        float, typer.Option(help="Share of the target's windows without mention mixed into the first stage.")
    ] = 0.0,
    augment: Annotated[str, typer.Option(help="Augmentations of the target, joined by commas.")] = "",
    copies: Annotated[int, typer.Option(help="Augmented copies of an article, by each augmentation.", min=1)] = 1,
    lexicon: Annotated[str | None, typer.Option(help="Lexicon for augmentation by synonyms.")] = None,
    post_processing: Annotated[
        str, typer.Option(help="Rules in scoring: default, all, none, or names joined by commas.")
    ] = "default",
    device: Annotated[str, typer.Option(help="cpu or cuda.")] = "cpu",
    threads: Annotated[int | None, typer.Option(help="Threads of torch on a CPU.", min=1)] = None,
    minutes: Annotated[
        float | None, typer.Option(help="Stop after so many minutes; the same command goes on.", min=0.01)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
) -> None:
    """Train a tagger of chemical mentions, in one stage or two, by folds and seeds.

    A killed training goes on when the command is called again.
    """
    from corpora.errors import ConfigurationError
    from corpora.extras import require

    for package in ("transformers", "accelerate"):
        require(package, extra="train", purpose="training a tagger")
    from nlmchem.tagging.models.labels import Scheme
    from nlmchem.tagging.rules.post_processing import PostProcessing
    from nlmchem.tagging.tagger import set_threads
    from nlmchem.tagging.training.augmentations import augmenters_of
    from nlmchem.tagging.training.data import read_corpus
    from nlmchem.tagging.training.options import StageOptions, TrainingOptions
    from nlmchem.tagging.training.run import Plan, run

    if head not in ("linear", "crf") or scheme not in tuple(Scheme):
        raise ConfigurationError(f"--head {head} --scheme {scheme}: heads are linear and crf, schemes bio and bilou")
    options = TrainingOptions(
        scheme=Scheme(scheme),
        crf=head == "crf",
        window=window,
        first=StageOptions(first_rate, first_passes, batch, dropout=dropout, smoothing=smoothing),
        second=StageOptions(
            rate, passes, batch, layer_decay=layer_decay, smoothing=smoothing, dropout=dropout, patience=patience
        ),
        negatives=negatives,
        letter_case=letter_case,
        copies=copies,
        device=device,
        seconds=None if minutes is None else minutes * 60,
    )
    set_threads(threads)
    plan = Plan(
        base=base,
        out=out,
        target=[read_corpus(name, report=_warn) for name in corpus or ()],
        outside=[read_corpus(name, report=_warn) for name in first or ()],
        silver=[read_corpus(name, silver_weight, _warn) for name in silver or ()],
        dev=None if dev is None else read_corpus(dev, report=_warn),
        folds=folds,
        seeds=_numbers(seeds),
        options=options,
        augmenters=augmenters_of(augment, lexicon),
        post_processing=PostProcessing.parse(post_processing),
    )
    outcome = run(plan, _warn)
    if as_json:
        print(json.dumps({"finished": outcome.finished, "scores": outcome.scores}))
    else:
        for path in outcome.models:
            print(path)
        if outcome.scores is not None:
            print(
                f"strict F {outcome.scores['strict']['f1']:.4f}, approximate {outcome.scores['approximate']['f1']:.4f}"
            )


def _numbers(text: str) -> list[int]:
    from corpora.errors import ConfigurationError

    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise ConfigurationError(f"--seeds is {text!r}; give numbers joined by commas") from error


def _warn(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
