"""`nlmchem train decision`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated

import typer

from corpora.commands.options import option
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import JsonOption, LexiconOption, OutFileOption
from nlmchem.commands.progress import warn

EXAMPLE = "Example: nlmchem train decision chemdner/train --leave-out drugprot/train -o decision.json"


@dataclass(frozen=True, slots=True)
class Learning:
    """What a decision learns from, and how."""

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
    seed: int = option(0, "Random seed. The same seed gives the same result.", minimum=0)


@expand_options
def decision(
    corpus: Annotated[
        list[str],
        typer.Argument(metavar="CORPUS...", help="Gold articles: PATH, NAME=FOLDER or NAME/SPLIT=FOLDER."),
    ],
    out: OutFileOption,
    learning: Learning,
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train a decision about the mentions of a tagger, for `annotate --decision MODEL`.

    The tagger must not have been trained on the articles. Leave those out, or give a tagger that did not see them.
    """
    from corpora.extras import require
    from nlmchem.deciding.decision import write_model
    from nlmchem.deciding.tagged import read_tagged
    from nlmchem.deciding.training import DecisionOptions, label, learn
    from nlmchem.tagging.registry import TaggerChoice, split_names
    from sieves.lexicon.lexicon import Lexicon

    require("sklearn", extra="train", purpose="training a decision")
    options = DecisionOptions(
        folds=learning.folds, floor=learning.floor, threshold=learning.threshold, seed=learning.seed
    )
    choice = TaggerChoice(split_names(learning.tagger))
    with Lexicon.open(lexicon) as opened:
        tagged = read_tagged(corpus, learning.leave_out, choice, opened, learning.articles, learning.seed, warn)
        card = {
            "corpora": corpus,
            "left out": list(learning.leave_out),
            **choice.versions(),
            "lexicon": opened.version,
        }
        model = learn(list(label(tagged, opened)), options, card=card, report=warn)
    write_model(out, model)
    if as_json:
        print(json.dumps({**model.card, "threshold": model.threshold, "features": len(model.trees.features)}))
        return
    facts = model.card
    print(f"{out}: {facts['articles']} articles, {facts['candidates']} candidates, threshold {model.threshold:g}")
