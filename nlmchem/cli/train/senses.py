"""`nlmchem train senses`."""

from __future__ import annotations

import json
from dataclasses import dataclass

from corpora.commands.options import option
from nlmchem.cli.old_expand_options import expand_options
from nlmchem.cli.shared import (
    CorpusInputsArgument,
    CorpusOption,
    JsonOption,
    LexiconOption,
    OutFolderOption,
    SplitOption,
)
from nlmchem.commands.progress import counted, warn

EXAMPLE = "Example: nlmchem train senses articles/ -o senses/"


@dataclass(frozen=True, slots=True)
class Learning:
    """How much a dictionary keeps, and what its weights learn from."""

    articles: int = option(1000, "Articles whose definitions are hidden to learn from.", minimum=1)
    words: int = option(30_000, "Words of the vocabulary.", minimum=100, maximum=65_535)
    terms: int = option(128, "Words that are kept of each article.", minimum=1)
    width: int = option(96, "Numbers of a word vector.", minimum=1)
    seed: int = option(0, "Random seed. The same seed gives the same result.", minimum=0)


@expand_options
def senses(
    inputs: CorpusInputsArgument,
    out: OutFolderOption,
    learning: Learning,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    lexicon: LexiconOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a dictionary of short forms from articles, and train the choice among its senses.

    Senses are what articles define, and the names of the lexicon that have the initials of a short form. The weights
    learn from definitions that are hidden: what would the short form mean without its definition? Use the folder with
    `nlmchem abbreviations --undefined --dictionary FOLDER`.
    """
    from dataclasses import asdict

    from corpora.datasets.registry import documents
    from corpora.extras import require
    from nlmchem.abbreviations import define
    from nlmchem.companions.senses.building import BuildingOptions
    from nlmchem.companions.senses.making import make_folder
    from nlmchem.companions.senses.names import NameFinder
    from nlmchem.companions.senses.records import read_records
    from nlmchem.evaluation.reliability import as_text
    from sieves.lexicon.lexicon import Lexicon

    require("sklearn", extra="train", purpose="training a dictionary of senses")
    options = BuildingOptions(learning.words, learning.terms, learning.width, learning.seed)
    found = counted(documents(inputs, corpus, split, warn), "articles")
    with Lexicon.open(lexicon, report=warn) as opened:
        finder = NameFinder(opened.every_name())
        records = read_records(found, lambda document: define(document).definitions, finder)
        made = make_folder(records, out, warn, learning.articles, options, {"seed": learning.seed}, lexicon=opened)
    if as_json:
        print(json.dumps({**asdict(made), "out": str(out)}))
        return
    scores = made.scores
    print(
        f"{out}: {made.articles} articles, {made.short_forms} short forms with {made.senses} senses "
        f"({made.ambiguous} ambiguous), {made.names} names of concepts, {made.bytes:,} bytes"
    )
    print(
        f"{scores.samples} hidden definitions of {scores.articles} articles: accuracy {scores.accuracy:.4f} "
        f"(most frequent sense {scores.popularity:.4f}), of the {scores.reachable:.1%} with a candidate "
        f"{scores.of_reachable:.4f} ({scores.popularity_of_reachable:.4f}); {scores.answered:.1%} answered at "
        "a precision of 0.91"
    )
    for line in as_text(scores.reliability):
        print(line)
