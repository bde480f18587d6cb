"""`nlmchem train tagger` and `nlmchem train dense`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from corpora.commands.command import DONE, INCOMPLETE, Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.shared import minutes_option, overwrite_option, seed_option
from corpora.errors import OptionError
from corpora.extras import require
from corpora.reporting import Report
from corpora.words.quantities import quantity
from nlmchem.tagging.kernel.arithmetic import FLOAT32, INT8
from nlmchem.tagging.options import training_device
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from nlmchem.tagging.training.data import TrainingCorpus
    from nlmchem.tagging.training.plan import TrainingPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpora:
    """What a tagger is trained on."""

    corpus: tuple[str, ...] = option(
        (), "Target corpus: PATH, NAME=FOLDER or NAME/SPLIT=FOLDER.", metavar="CORPUS", repeat=True
    )
    first: tuple[str, ...] = option(
        (), "Corpus for a first stage of training, before the target corpus.", metavar="CORPUS", repeat=True
    )
    silver: tuple[str, ...] = option(
        (), "Silver-standard corpus, added to the target corpus.", metavar="CORPUS", repeat=True
    )
    silver_weight: float = option(0.5, "Weight of silver-standard articles; gold-standard articles have 1.", minimum=0)
    dev: str | None = option(
        None, "Development corpus. Training keeps the pass with the highest strict F on it.", metavar="CORPUS"
    )
    leave_out: tuple[str, ...] = option(
        (), "Corpus whose articles are removed from all training data, by their ids.", metavar="CORPUS", repeat=True
    )
    replay: tuple[str, ...] = option(
        (), "Corpus of an earlier training; a sample is mixed into the target corpus.", metavar="CORPUS", repeat=True
    )
    replayed: int = option(500, "Size of the sample of `replay`, in windows.", minimum=1)
    augment: str = option("", "Augmentations of the target corpus, joined by commas.", metavar="NAME,...")
    copies: int = option(1, "Augmented copies of each article, for each augmentation.", minimum=1)
    lexicon: str | None = option(
        None, "Lexicon for the augmentation with synonyms.", default_text="MeSH, as it comes with nlmchem"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelKind:
    """The kind of model."""

    window: int = option(256, "Length of a window in word pieces.")
    letter_case: bool = option(False, "Give the model the letter case, if its tokenizer removes it.")
    gazetteer: bool = option(False, "Give the model what the default lexicon has for each word piece.")
    guidelines: tuple[str, ...] = option(
        (), "Corpora of `first` with guidelines of their own, joined by commas.", metavar="NAME,..."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """How a tagger learns."""

    passes: float = option(6, "Passes over the target corpus.")
    rate: float = option(1e-4, "Learning rate for the target corpus.")
    first_passes: float = option(1, "Passes of the first stage.")
    first_rate: float = option(2e-4, "Learning rate of the first stage.")
    batch: int = option(4096, "Word pieces in a batch.", minimum=16)
    accumulate: int = option(
        1, "Parts of a batch that are computed one after another, so that it fits into the memory.", minimum=1
    )
    dropout: float | None = option(None, "Dropout.", default_text="that of the base model")
    patience: int = option(2, "Passes without a higher F on `dev` after which training stops; 0: never.", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How often, where and how long a tagger is trained."""

    folds: int = option(0, "Number of folds of a cross-validation over `corpus`; 0: no cross-validation.", minimum=0)
    seeds: tuple[int, ...] = option(
        (7,),
        "Random seeds, joined by commas, with one model for each. 0,1,2 trains three models; 3 is the single seed 3.",
        metavar="SEED,...",
    )
    rules: str = option(
        "default", "Rules in scoring: default, all, none, or names joined by commas.", metavar="RULE,..."
    )
    store: str = option(
        FLOAT32,
        "Weights of the models: float32, or int8: a quarter of the size, for BERT only, in a folder int8 beside model.",
        choices=(FLOAT32, INT8),
    )
    device: str = training_device()
    precision: str | None = option(
        None,
        "Precision of matrix products. bfloat16 can be faster on processors with avx512_bf16 or amx_bf16 (compare the "
        "pieces/s of the progress lines), else it is slower. "
        "float16, with scaling of the loss, is for GPUs without bfloat16.",
        choices=("float32", "bfloat16", "float16"),
        default_text="float32 on a CPU, bfloat16 on a GPU that has it",
    )
    threads: int | None = option(None, "Threads of torch on a CPU.", minimum=1, default_text="as torch chooses")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggerTrainingOptions:
    """The options of `nlmchem train tagger`."""

    base: Path = option(
        REQUIRED, "Model to start from: default (the embedded one), or a folder (safetensors).", metavar="FOLDER"
    )
    out: Path = option(REQUIRED, "Output folder; the models are OUT/seed-*/*/model.", short="o", metavar="FOLDER")
    corpora: Corpora = group(Corpora)
    model: ModelKind = group(ModelKind)
    schedule: Schedule = group(Schedule)
    execution: Execution = group(Execution)
    minutes: float | None = minutes_option()


def train_tagger(options: TaggerTrainingOptions, progress: Progress) -> Result:
    """Train a tagger of chemical mentions, in one stage or two, with folds and seeds.

    If the training is stopped, run the command again: it continues. The exit code is 3 if `minutes` ended it.
    On several GPUs it is started by torchrun (docs/howto/pubmedbert.md).
    """
    require("torch", "transformers", "accelerate", extra="train", purpose="training a tagger")
    from nlmchem.tagging.training.folders import check_storable, store
    from nlmchem.tagging.training.processes import is_first, of_first
    from nlmchem.tagging.training.run import run

    if options.execution.store == INT8:
        check_storable(options.base)
    report = of_first(progress)
    if options.execution.threads is not None:
        import torch

        torch.set_num_threads(options.execution.threads)
    outcome = run(_plan(options, of_first(progress)), report)
    if not is_first():
        return Result()
    if options.execution.store == INT8:
        for path in outcome.models:
            store(path, path.with_name(INT8))
    lines = [str(path) for path in outcome.models]
    if outcome.scores is not None:
        strict, approximate = outcome.scores["strict"]["f1"], outcome.scores["approximate"]["f1"]
        lines.append(f"strict F {strict:.4f}, approximate {approximate:.4f}")
    return Result(
        objects=({"finished": outcome.finished, "scores": outcome.scores},),
        lines=lines,
        files=tuple(outcome.models),
        exit_code=DONE if outcome.finished else INCOMPLETE,
        value=outcome,
    )


def _plan(options: TaggerTrainingOptions, report: Report) -> TrainingPlan:
    from nlmchem.tagging.rules.post_processing import Rules
    from nlmchem.tagging.training.data import augmenters_of, read_corpus, without
    from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan

    corpora, model, schedule, execution = options.corpora, options.model, options.schedule, options.execution
    settings = TaggerTraining(
        window=model.window,
        first=StageOptions(schedule.first_rate, schedule.first_passes, schedule.batch, schedule.dropout),
        second=StageOptions(schedule.rate, schedule.passes, schedule.batch, schedule.dropout, schedule.patience),
        replayed=corpora.replayed,
        letter_case=model.letter_case,
        gazetteer=model.gazetteer,
        guidelines=model.guidelines,
        copies=corpora.copies,
        device=execution.device,
        precision=execution.precision,
        accumulate=schedule.accumulate,
        seconds=None if options.minutes is None else options.minutes * 60,
    )
    left_out = [read_corpus(name, report=report) for name in corpora.leave_out]

    def read(names: Sequence[str], weight: float = 1.0) -> list[TrainingCorpus]:
        return without([read_corpus(name, weight, report) for name in names], left_out, report)

    return TrainingPlan(
        base=options.base,
        out=options.out,
        target=read(corpora.corpus),
        outside=read(corpora.first),
        silver=read(corpora.silver, corpora.silver_weight),
        replay=read(corpora.replay),
        dev=None if corpora.dev is None else read_corpus(corpora.dev, report=report),
        folds=execution.folds,
        seeds=execution.seeds,
        options=settings,
        augmenters=augmenters_of(corpora.augment, corpora.lexicon),
        rules=Rules.parse(execution.rules),
    )


TRAIN = Command(
    "train tagger", TaggerTrainingOptions, train_tagger,
    Call({"base": "pubmedbert/", "out": "model/", "corpus": ["train/"], "first": ["bc5cdr=data/bc5cdr"]}),
)  # fmt: skip


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
        choices=("float32", "bfloat16"),
    )
    device: str = training_device()


def train_dense(options: DenseTrainingOptions, progress: Progress) -> Result:
    """Train an encoder of names for the dense fallback, with the synonyms of a lexicon."""
    if options.base is None and options.out.is_dir():
        raise OptionError("out", f"must be a file, but {options.out} is a folder")
    duration: dict[str, Any] = {
        "minutes": options.minutes,
        "steps": options.steps,
        "seed": options.seed,
        "held_out": options.held_out,
    }
    with options.source.open(progress) as lexicon, TemporaryDirectory() as folder:
        if options.base is None:
            from sieves.dense.training import DenseSettings, train

            require("torch", extra="train", purpose="the training of an encoder")
            card = train(lexicon, options.out, DenseSettings(**duration), progress, options.names)
        else:
            require("torch", "transformers", extra="train", purpose="the training of a transformer")
            from nlmchem.tagging.training.folders import open_base
            from sieves.dense.training import TransformerSettings, train_transformer

            settings = TransformerSettings(
                rate=options.rate, device=options.device, bfloat16=options.precision == "bfloat16", **duration
            )
            # The weights of the embedded tagger are int8; they are expanded into this folder.
            base = open_base(options.base, Path(folder))
            card = train_transformer(lexicon, base, options.out, settings, progress, options.names)
    return record(
        card,
        f"{options.out}: {quantity(card['steps'], 'step')}; for {card['recall_at_1']:.4f} of "
        f"{card['held_out_names']} held-out "
        "names the nearest name is a name of their concept, for "
        f"{card['recall_at_5']:.4f} it is among the nearest five",
        files=(options.out,),
    )


TRAIN_DENSE = Command(
    "train dense", DenseTrainingOptions, train_dense,
    Call({"out": "encoder.safetensors", "lexicon": "mesh.sqlite", "minutes": 10}),
)  # fmt: skip
