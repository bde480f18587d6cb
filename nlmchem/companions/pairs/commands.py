"""`nlmchem pairs`, `nlmchem corpora pairs`, `nlmchem evaluate pairs` and `nlmchem train pairs`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from corpora.commands.command import INCOMPLETE, NAMING, Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import out_file, overwrite_option, seed_option
from corpora.errors import OptionError
from corpora.tools.commands import CorpusInputs
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from nlmchem.companions.pairs.solver import PairAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureOptions:
    """The resources of the features of pairs."""

    dictionary: str = option(
        "default",
        "Long forms of short forms: default (the embedded dictionary), a file of `nlmchem corpora dictionary` or "
        "`nlmchem train senses`, or off.",
        metavar="PATH",
    )
    encoder: str = option(
        "off",
        "Vectors of the terms in their sentences: default (the embedded tagger), the folder of a tagger, or off.",
        metavar="NAME",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairsOptions:
    source: str = argument("File of pairs: JSON lines, or JSON of BioWiC; - for standard input.", metavar="PAIRS")
    lexicon: LexiconOptions = group(LexiconOptions)
    features: FeatureOptions = group(FeatureOptions)
    model: Path | None = option(
        None, "Model from `nlmchem train pairs`.", metavar="PATH", default_text="the model that comes with nlmchem"
    )


def decide_pairs(options: PairsOptions, progress: Progress) -> Result:
    """Decide for each pair whether its two terms mean the same in their sentences, and print the reasons.

    The answer of a pair in the file is not read. A line of PAIRS:

    \b
    {"term1": "aspirin", "sentence1": "He took aspirin.", "start1": 8, "end1": 15,
     "term2": "ASA", "sentence2": "ASA was given.", "start2": 0, "end2": 3}

    The line is not broken in the file. Each start and end is the place of the term in its sentence, in characters.
    """
    from nlmchem.companions.pairs.features import open_features
    from nlmchem.companions.pairs.pair import read_pairs
    from nlmchem.companions.pairs.solver import Solver, read_model

    pairs = read_pairs(options.source)
    model = None if options.model is None else read_model(options.model)
    terms = {pair.id: f"{pair.term1}\t{pair.term2}" for pair in pairs}
    result = Result()

    def answers() -> Iterator[PairAnswer]:
        answered = 0
        with options.lexicon.open(progress) as lexicon:
            features = open_features(lexicon, options.features.dictionary, options.features.encoder)
            for answer in Solver(features, model)(pairs, progress):
                answered += 1
                yield answer
        if answered < len(pairs):
            result.exit_code = INCOMPLETE

    def lines() -> Iterator[str]:
        answered = answers()
        # What cannot be opened is reported before the header is printed.
        first = next(answered, None)
        yield "pair\tanswer\tscore\tterm1\tterm2\treasons"
        for answer in chain([] if first is None else [first], answered):
            word, reasons = "same" if answer.same else "different", "; ".join(answer.reasons)
            yield f"{answer.id}\t{word}\t{answer.score:.4f}\t{terms[answer.id]}\t{reasons}"

    result.lines = lines()
    result.objects = (answer.as_object() for answer in answers())
    return result


PAIRS = Command(
    "pairs", PairsOptions, decide_pairs, Call({"source": "pairs.jsonl"}, "json", into="answers.jsonl"), heading=NAMING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluatePairsOptions:
    gold: str = argument("File of pairs with answers.")
    predicted: tuple[str, ...] = argument(
        "Runs: JSON outputs of `nlmchem pairs`, or pairs with label.", metavar="PRED..."
    )
    samples: int = option(10_000, "Number of bootstrap samples; 0: no bootstrap.", minimum=0)
    seed: int = option(7, "Random seed of the bootstrap.", minimum=0)


def evaluate_pairs(options: EvaluatePairsOptions, progress: Progress) -> Result:
    """Score answers to word-in-context pairs: accuracy by group, and a paired test of each two runs."""
    from corpora.output_names import run_names
    from nlmchem.companions.pairs.pair import read_pairs
    from nlmchem.companions.pairs.solver import as_text, read_answers, score

    gold = read_pairs(options.gold)
    names = run_names(list(options.predicted))
    runs = {name: read_answers(source) for source, name in zip(options.predicted, names, strict=True)}
    scores = score(gold, runs, options.samples, options.seed, progress)
    return Result(objects=scores, lines=as_text(scores), value=scores)


EVALUATE = Command(
    "evaluate pairs",
    EvaluatePairsOptions,
    evaluate_pairs,
    Call({"gold": "pairs.jsonl", "predicted": ["answers.jsonl"]}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainPairsOptions:
    sources: tuple[str, ...] = argument(
        "Files of pairs with answers: JSON lines or JSON of BioWiC.", metavar="PAIRS..."
    )
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    lexicon: LexiconOptions = group(LexiconOptions)
    features: FeatureOptions = group(FeatureOptions)
    seed: int = seed_option()


def train_pairs(options: TrainPairsOptions, progress: Progress) -> Result:
    """Train the solver of word-in-context pairs on pairs with answers."""
    from nlmchem.companions.pairs.features import open_features
    from nlmchem.companions.pairs.pair import read_pairs
    from nlmchem.companions.pairs.solver import learn, usable, write_model

    files = [Path(source).name for source in options.sources]
    by_file = [usable(read_pairs(source), progress) for source in options.sources]
    pairs = [pair for pairs in by_file for pair in pairs]
    # Files with the same name are named by their paths.
    names = files if len(set(files)) == len(files) else options.sources
    origins = [name for name, pairs in zip(names, by_file, strict=True) for _ in pairs]
    dictionary, encoder = options.features.dictionary, options.features.encoder
    with options.lexicon.open(progress) as lexicon:
        features = open_features(lexicon, dictionary, encoder)
        card = {"files": files, "lexicon": lexicon.version, "seed": options.seed}
        card |= {"dictionary": Path(dictionary).name, "encoder": Path(encoder).name}
        model = learn(pairs, features.matrix(pairs), features.features, options.seed, card, progress, origins)
    write_model(options.out, model)
    accuracy = model.card["cross-validated accuracy"]
    return record(
        {**model.card, "out": str(options.out)},
        f"{options.out}: {quantity(len(pairs), 'pair')}, accuracy {accuracy} in cross-validation",
        files=(options.out,),
        value=model,
    )


TRAIN = Command("train pairs", TrainPairsOptions, train_pairs, Call({"sources": ["pairs.jsonl"], "out": "model.json"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeOptions:
    articles: CorpusInputs = group(CorpusInputs)
    out: Path = option(REQUIRED, "Output: .jsonl, or .json in the format of BioWiC.", short="o", metavar="PATH")
    overwrite: bool = overwrite_option()
    most: int = option(500, "Highest number of pairs in each group with each answer.", minimum=1)
    uses: int = option(4, "Highest number of pairs with the same sentence or the same two terms.", minimum=1)
    unbalanced: bool = option(False, "Do not make the numbers of both answers in a group equal.")
    definitions: bool = option(
        False, "Ignore the mentions of the articles; take the short and long forms that they define."
    )
    parts: bool = option(
        False,
        "`out` is a folder; write train, dev and test without common sentences. `most` is for test, dev has half.",
    )
    lexicon: LexiconOptions = group(LexiconOptions)
    seed: int = seed_option()


def make_pairs(options: MakeOptions, progress: Progress) -> Result:
    """Make word-in-context pairs in the four groups of BioWiC, from articles with concept identifiers.

    Synonyms and broader concepts are read from the lexicon. The articles can be a corpus or the output of nlmchem.
    """
    from corpora.storage.owned_files import OwnedFolder, write_bytes
    from nlmchem.companions.pairs import making
    from nlmchem.companions.pairs.pair import dumps, dumps_lines
    from nlmchem.tagging.tokenization.tokens import sentences

    out = options.out
    folder = OwnedFolder(out) if options.parts else None
    if folder is not None:
        folder.check(*(f"{part}.jsonl" for part in making.PARTS))
    elif out.is_dir():
        raise OptionError("out", f"must be a file, but {out} is a folder")

    occurrences = making.Occurrences(sentences, options.seed)
    for document in options.articles.documents(progress):
        if options.definitions:
            making.link_definitions(document, sentences)
        occurrences.add(document)
    with options.lexicon.open(progress) as lexicon:
        names = making.LongFormNames() if options.definitions else making.LexiconNames(lexicon)
        pairs = making.candidates(occurrences, names)
    files = {out: making.select(pairs, options.most, options.uses, not options.unbalanced)}
    if options.parts:
        files = {out / f"{part}.jsonl": chosen for part, chosen in making.parts(pairs, options.most).items()}
    rows: list[dict[str, Any]] = []
    lines = ["file\tgroup\tanswer\tpairs"]
    for file, chosen in files.items():
        content = (dumps if file.suffix == ".json" else dumps_lines)(chosen)
        if folder is not None:
            folder.write_bytes(PurePosixPath(file.name), content)
        else:
            write_bytes(file, content)
        for (kind, same), number in sorted(Counter((pair.group, bool(pair.same)) for pair in chosen).items()):
            rows.append({"file": str(file), "group": kind, "same": same, "pairs": number})
            lines.append(f"{file}\t{kind}\t{'same' if same else 'different'}\t{number}")
    result = record({"groups": rows, "files": [str(file) for file in files]}, *lines, files=tuple(files))
    if not rows:
        result.notes.append("no pairs were made: the articles have too few mentions with concepts of both answers")
    return result


MAKE = Command("corpora pairs", MakeOptions, make_pairs, Call({"inputs": ["train.xml"], "out": "pairs.jsonl"}))
