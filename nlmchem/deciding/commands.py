"""`nlmchem train decision`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import argument, group, option
from corpora.commands.shared import out_file, overwrite_option, seed_option
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTrainingOptions:
    """The options of `nlmchem train decision`."""

    corpus: tuple[str, ...] = argument("Gold articles: PATH, NAME=FOLDER or NAME/SPLIT=FOLDER.", metavar="CORPUS...")
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    leave_out: tuple[str, ...] = option(
        (), "Leave out the articles of this corpus, by id.", metavar="CORPUS", repeat=True
    )
    tagger: str = option(
        "default",
        "Tagger whose spans are decided about, as in annotate.",
        metavar="NAME,...",
        flags=("--tagger", "--taggers"),
    )
    articles: int = option(0, "Train on a sample of this many articles; 0: all.", minimum=0)
    threshold: float | None = option(
        None, "Lowest probability of a mention.", minimum=0.01, maximum=0.99, default_text="chosen by cross-validation"
    )
    floor: float = option(
        0.7, "Least probability of spans of the tagger that are chemicals of the lexicon.", minimum=0.01, maximum=0.99
    )
    folds: int = option(5, "Folds of the cross-validation that chooses the threshold.", minimum=2)
    seed: int = seed_option()
    source: LexiconOptions = group(LexiconOptions)


def train_decision(options: DecisionTrainingOptions, progress: Progress) -> Result:
    """Train a decision about the mentions of a tagger, for the option `decision` of `nlmchem annotate`.

    The tagger must not have been trained on the articles. Leave those out, or give a tagger that did not see them.
    """
    from corpora.extras import require
    from nlmchem.deciding.decision import write_model
    from nlmchem.deciding.training import DecisionOptions, label, learn, read_tagged
    from nlmchem.tagging.registry import TaggerChoice, split_names

    require("sklearn", extra="train", purpose="training a decision")
    seed, out = options.seed, options.out
    settings = DecisionOptions(folds=options.folds, floor=options.floor, threshold=options.threshold, seed=seed)
    choice = TaggerChoice(split_names(options.tagger))
    corpora, left_out = list(options.corpus), list(options.leave_out)
    with options.source.open(progress) as lexicon:
        tagged = read_tagged(corpora, left_out, choice, lexicon, options.articles, seed, progress)
        card = {"corpora": corpora, "left out": left_out, **choice.versions(), "lexicon": lexicon.version}
        model = learn(list(label(tagged, lexicon)), settings, card=card, report=progress)
    write_model(out, model)
    facts = model.card
    return record(
        {**facts, "threshold": model.threshold, "features": len(model.trees.features)},
        f"{out}: {quantity(facts['articles'], 'article')}, {facts['candidates']} candidates, "
        f"threshold {model.threshold:g}",
        files=(out,),
        value=model,
    )


TRAIN = Command(
    "train decision", DecisionTrainingOptions, train_decision,
    Call({"corpus": ["chemdner/train"], "out": "decision.json", "leave_out": ["drugprot/train"]}),
)  # fmt: skip
