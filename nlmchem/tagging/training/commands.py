"""`nlmchem train tagger`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import REQUIRED, group, option
from corpora.commands.progress import Progress
from corpora.commands.result import DONE, INCOMPLETE, Result
from corpora.commands.shared import minutes_option
from corpora.reporting import Report
from nlmchem.tagging.kernel.arithmetic import FLOAT32, INT8
from nlmchem.tagging.options import training_device

if TYPE_CHECKING:
    from nlmchem.tagging.training.plan import TaggerTraining, TrainingOutcome, TrainingPlan


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
    negatives: float = option(
        0.0, "Share of the target's windows without mentions that is added to the first stage.", minimum=0, maximum=1
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

    head: str = option("linear", "Output layer.", choices=("linear", "crf"))
    scheme: str = option("bio", "Label scheme.", choices=("bio", "bilou"))
    window: int = option(256, "Length of a window in word pieces.")
    letter_case: bool = option(False, "Give the model the letter case, if its tokenizer removes it.")
    gazetteer: bool = option(False, "Give the model what the default lexicon has for each word piece.")
    guidelines: tuple[str, ...] = option(
        (), "Corpora of `first` with guidelines of their own, joined by commas.", metavar="NAME,..."
    )
    layers: tuple[int, ...] = option(
        (),
        "Layers of the base that the model keeps, from 0, joined by commas: a smaller and faster model.",
        metavar="LAYER,...",
        default_text="all",
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
    layer_decay: float = option(1.0, "Factor of the learning rate from each layer to the one below.")
    smoothing: float = option(0.0, "Label smoothing of the linear output layer.", minimum=0, maximum=0.5)
    teacher: Path | None = option(
        None,
        "Tagger with the same word pieces, whose probabilities the model learns besides the labels: default, or a "
        "folder.",
        metavar="FOLDER",
    )
    taught: float = option(0.5, "Share of `teacher` in the loss; the labels have the rest.", minimum=0, maximum=1)
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
    from corpora.extras import require

    require("torch", "transformers", "accelerate", extra="train", purpose="training a tagger")
    from nlmchem.tagging.tagger import set_threads
    from nlmchem.tagging.training.processes import is_first, of_first
    from nlmchem.tagging.training.run import run
    from nlmchem.tagging.training.storing import check_storable, store

    if options.execution.store == INT8:
        check_storable(options.base)
    report = of_first(progress)
    set_threads(options.execution.threads)
    outcome = run(_plan(options, of_first(progress)), report)
    if not is_first():
        return Result()
    if options.execution.store == INT8:
        for path in outcome.models:
            store(path, path.with_name(INT8))
    return Result(
        objects=({"finished": outcome.finished, "scores": outcome.scores},),
        lines=_lines(outcome),
        files=tuple(outcome.models),
        exit_code=DONE if outcome.finished else INCOMPLETE,
        value=outcome,
    )


def _plan(options: TaggerTrainingOptions, report: Report) -> TrainingPlan:
    from nlmchem.tagging.rules.post_processing import Rules
    from nlmchem.tagging.training.augmentations import augmenters_of
    from nlmchem.tagging.training.data import read_corpus, without
    from nlmchem.tagging.training.plan import TrainingPlan

    corpora, execution = options.corpora, options.execution
    left_out = [read_corpus(name, report=report) for name in corpora.leave_out]
    return TrainingPlan(
        base=options.base,
        out=options.out,
        target=without([read_corpus(name, report=report) for name in corpora.corpus], left_out, report),
        outside=without([read_corpus(name, report=report) for name in corpora.first], left_out, report),
        silver=without([read_corpus(name, corpora.silver_weight, report) for name in corpora.silver], left_out, report),
        replay=without([read_corpus(name, report=report) for name in corpora.replay], left_out, report),
        dev=None if corpora.dev is None else read_corpus(corpora.dev, report=report),
        folds=execution.folds,
        seeds=execution.seeds,
        options=_training_options(options),
        augmenters=augmenters_of(corpora.augment, corpora.lexicon),
        rules=Rules.parse(execution.rules),
    )


def _training_options(options: TaggerTrainingOptions) -> TaggerTraining:
    from nlmchem.tagging.inference.labels import Scheme
    from nlmchem.tagging.training.plan import StageOptions, TaggerTraining

    corpora, model, schedule, execution = options.corpora, options.model, options.schedule, options.execution
    first = StageOptions(
        schedule.first_rate, schedule.first_passes, schedule.batch, dropout=schedule.dropout,
        smoothing=schedule.smoothing,
    )  # fmt: skip
    second = StageOptions(
        schedule.rate, schedule.passes, schedule.batch, layer_decay=schedule.layer_decay,
        smoothing=schedule.smoothing, dropout=schedule.dropout, patience=schedule.patience,
    )  # fmt: skip
    return TaggerTraining(
        scheme=Scheme(model.scheme),
        crf=model.head == "crf",
        window=model.window,
        first=first,
        second=second,
        negatives=corpora.negatives,
        replayed=corpora.replayed,
        letter_case=model.letter_case,
        gazetteer=model.gazetteer,
        guidelines=model.guidelines,
        layers=model.layers,
        teacher=schedule.teacher,
        taught=schedule.taught,
        copies=corpora.copies,
        device=execution.device,
        precision=execution.precision,
        accumulate=schedule.accumulate,
        seconds=None if options.minutes is None else options.minutes * 60,
    )


def _lines(outcome: TrainingOutcome) -> list[str]:
    lines = [str(path) for path in outcome.models]
    if outcome.scores is not None:
        strict, approximate = outcome.scores["strict"]["f1"], outcome.scores["approximate"]["f1"]
        lines.append(f"strict F {strict:.4f}, approximate {approximate:.4f}")
    return lines


TRAIN = Command(
    "train tagger", TaggerTrainingOptions, train_tagger,
    Call({"base": "pubmedbert/", "out": "model/", "corpus": ["train/"], "first": ["bc5cdr=data/bc5cdr"]}),
)  # fmt: skip
