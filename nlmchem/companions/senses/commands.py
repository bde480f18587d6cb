"""`nlmchem evaluate senses`, `nlmchem train senses` and `nlmchem train encoder`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from corpora.commands.command import INCOMPLETE, Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import minutes_option, out_folder, seed_option
from corpora.errors import Argument, ConfigurationError
from corpora.tools.commands import CorpusInputs
from corpora.words.quantities import quantity
from nlmchem.abbreviations.undefined import encoder_option
from nlmchem.tagging.options import training_device
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateSensesOptions:
    corpus: str = argument("A corpus of acronyms: sciad, gladis or uad.")
    folder: str = argument("Its folder or archive.")
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")
    methods: tuple[str, ...] | None = option(
        None,
        "Methods: first, popularity, bm25, model, encoder; joined by commas.",
        metavar="NAME,...",
        default_text="all; encoder only with `encoder`",
    )
    dictionary: str | None = option(
        None,
        "Take the candidates from this dictionary (default for the embedded one), not from that of the corpus.",
        metavar="NAME_OR_PATH",
    )
    encoder: str | None = encoder_option()
    samples: int = option(1000, "Bootstrap samples.", minimum=0)
    seed: int = option(0, "Random seed of the bootstrap samples.", minimum=0)


def evaluate_senses(options: EvaluateSensesOptions, progress: Progress) -> Result:
    """Score the choice among the senses of acronyms in sentences, by the measures of SDU and of GLADIS."""
    from corpora.datasets.acronyms import AcronymSample
    from corpora.datasets.registry import open_corpus
    from nlmchem.companions.senses.evaluation import METHODS, SDU_NOTE, as_text, decide, method, score_senses
    from nlmchem.companions.senses.resolver import open_resolver

    encoder = options.encoder
    names = options.methods or tuple(name for name in METHODS if name != "encoder" or encoder is not None)
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise ConfigurationError(f"there is no method {unknown[0]!r}; the methods are {', '.join(METHODS)}")
    if "encoder" in names and encoder is None:
        what = "the method encoder needs an encoder; add "
        raise ConfigurationError(what, Argument("encoder"), " with default or a folder")
    resolver = open_resolver(options.dictionary, progress, encoder)
    items = open_corpus(options.corpus, options.folder).read(options.split, progress)
    samples = [item for item in items if isinstance(item, AcronymSample) and item.long_form]
    if not samples:
        raise ConfigurationError(f"{options.corpus} has no acronyms with their senses; use sciad, gladis or uad")
    inventory = None if options.dictionary is None else resolver.inventory
    scores = {
        name: score_senses(
            decide(samples, inventory, method(name, resolver, samples, inventory)), options.samples, options.seed
        )
        for name in names
    }
    answer = {"note": SDU_NOTE, "methods": {name: asdict(row) for name, row in scores.items()}}
    return record(answer, *as_text(scores), notes=[SDU_NOTE], value=scores)


EVALUATE = Command(
    "evaluate senses",
    EvaluateSensesOptions,
    evaluate_senses,
    Call({"corpus": "gladis", "folder": "downloads/gladis/", "split": "dev", "dictionary": "default"}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainSensesOptions:
    corpus: CorpusInputs = group(CorpusInputs)
    out: Path = out_folder()
    articles: int = option(1000, "Articles whose definitions are hidden to learn from.", minimum=1)
    words: int = option(30_000, "Words of the vocabulary.", minimum=100, maximum=65_535)
    terms: int = option(128, "Words that are kept of each article.", minimum=1)
    width: int = option(96, "Numbers of a word vector.", minimum=1)
    seed: int = seed_option()
    lexicon: LexiconOptions = group(LexiconOptions)


def train_senses(options: TrainSensesOptions, progress: Progress) -> Result:
    """Make a dictionary of short forms from articles, and train the choice among its senses.

    Senses are what articles define, and the names of the lexicon that have the initials of a short form. The weights
    learn from definitions that are hidden: what would the short form mean without its definition? Use the folder with
    `nlmchem abbreviations` as its `dictionary`.
    """
    from corpora.extras import require
    from nlmchem.abbreviations import define
    from nlmchem.companions.senses.building import BuildingOptions, read_records
    from nlmchem.companions.senses.making import make_folder
    from nlmchem.companions.senses.names import NameFinder
    from nlmchem.evaluation.scores import reliability_as_text as as_text

    require("sklearn", extra="train", purpose="training a dictionary of senses")
    seed, out = options.seed, options.out
    building = BuildingOptions(options.words, options.terms, options.width, seed)
    documents = progress.counted(options.corpus.documents(progress), "articles")
    with options.lexicon.open(progress) as lexicon:
        finder = NameFinder(lexicon.database.every_name())
        records = read_records(documents, lambda document: define(document).definitions, finder)
        made = make_folder(records, out, progress, options.articles, building, {"seed": seed}, lexicon=lexicon)
    scores = made.scores
    return record(
        {**asdict(made), "out": str(out)},
        f"{out}: {quantity(made.articles, 'article')}, {quantity(made.short_forms, 'short form')} with {made.senses} "
        f"senses ({made.ambiguous} ambiguous), {quantity(made.names, 'name')} of concepts, {made.bytes:,} bytes",
        f"{scores.samples} hidden definitions of {quantity(scores.articles, 'article')}: accuracy "
        f"{scores.accuracy:.4f} (most frequent sense {scores.popularity:.4f}), of the {scores.reachable:.1%} with a "
        f"candidate {scores.of_reachable:.4f} ({scores.popularity_of_reachable:.4f}); {scores.answered:.1%} answered "
        "at a precision of 0.91",
        *as_text(scores.reliability),
        files=(out,),
        value=made,
    )


TRAIN = Command("train senses", TrainSensesOptions, train_senses, Call({"inputs": ["articles/"], "out": "senses/"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderOptions:
    samples: Path = argument(
        "The samples of `nlmchem corpora dictionary`, or a folder of the corpus named by `corpus`.", metavar="FOLDER"
    )
    base: Path = option(REQUIRED, "Folder of the encoder of sentences to start from.", metavar="FOLDER")
    out: Path = out_folder()
    passes: float = option(1.0, "Passes over the samples.", minimum=0.001)
    rate: float = option(2e-5, "Learning rate.", minimum=1e-9)
    batch: int = option(16, "Sentences in a batch.", minimum=1)
    seed: int = seed_option()
    device: str = training_device()
    bfloat16: bool = option(False, "Products of the encoder in bfloat16 (faster on some processors).")
    corpus: str = option("gladis", "Corpus of acronyms: gladis, sciad or uad.", metavar="NAME")
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")
    minutes: float | None = minutes_option()


def train_encoder(options: EncoderOptions, progress: Progress) -> Result:
    """Train an encoder of sentences to know which long form a short form means.

    Each sentence learns to be nearer to its long form than to other long forms of the short form. A tenth of the short
    forms is held out, and scored before and after. Use the folder as `encoder` of `nlmchem abbreviations`.
    """
    from corpora.datasets.acronyms import AcronymSample
    from corpora.datasets.registry import open_corpus
    from corpora.extras import require
    from nlmchem.companions.senses.encoder_training import SentenceTraining, train_sentences

    require("torch", "transformers", extra="train", purpose="the training of a transformer")
    items = open_corpus(options.corpus, str(options.samples)).read(options.split, progress)
    samples = [item for item in items if isinstance(item, AcronymSample) and item.long_form]
    training = SentenceTraining(
        options.passes, options.rate, options.batch, options.seed, options.device, options.bfloat16
    )
    out = options.out
    card = train_sentences(samples, options.base, out, training, progress, options.minutes)
    if card is None:
        problem = "the time is over; run the same command again to continue"
        return Result(problems=[problem], exit_code=INCOMPLETE)
    result = record(
        card,
        f"{out}: {quantity(card['steps'], 'step')}; the nearest long form is right in {card['accuracy']:.4f} of "
        f"{quantity(card['held_out_samples'], 'sentence')} with other short forms (before "
        f"{card['accuracy_before']:.4f}, the most frequent long form {card['accuracy_of_the_most_frequent']:.4f})",
        files=(out,),
        value=card,
    )
    if card["accuracy"] <= card["accuracy_before"]:
        result.notes.append(f"the new encoder is not better: keep {options.base}")
    return result


ENCODER = Command(
    "train encoder",
    EncoderOptions,
    train_encoder,
    Call({"samples": "acronyms/", "base": "all-MiniLM-L6-v2/", "out": "encoder/"}),
)
