"""`nlmchem corpora augment|dictionary|pairs`: training data made from corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.reporting import warn
from nlmchem.cli.expand_options import expand_options
from nlmchem.cli.shared import (
    CorpusInputsArgument,
    CorpusOption,
    FormatOption,
    JsonOption,
    LexiconOption,
    OutFileOption,
    OutFolderOption,
    SeedOption,
    SplitOption,
)
from nlmchem.options import option
from nlmchem.progress import counted

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.abbreviations.dictionary import Detector

AUGMENT_EXAMPLE = "Example: nlmchem corpora augment train.xml -o synthetic.xml --mode synonym,random"
DICTIONARY_EXAMPLE = "Example: nlmchem corpora dictionary articles/ -o acronyms/ --samples"
PAIRS_EXAMPLE = "Example: nlmchem corpora pairs train.xml -o pairs.json"


@dataclass(frozen=True, slots=True)
class Replacing:
    """How mentions are replaced."""

    mode: tuple[str, ...] = option(
        ("synonym",), "What replaces a mention: synonym, other, random; joined by commas.", metavar="MODE,..."
    )
    copies: int = option(1, "Synthetic copies of each article, for each mode.", minimum=1)
    rate: float = option(1.0, "Share of the distinct mentions that are replaced, up to 1.")


@expand_options
def augment(
    inputs: CorpusInputsArgument,
    out: OutFileOption,
    replacing: Replacing,
    lexicon: LexiconOption = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make synthetic training articles: other names replace gold mentions, and the offsets are adapted."""
    from corpora.writing import write
    from nlmchem.tagging.training.replacement import Augmenter, Names
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        names = Names.of(opened.names(), opened.version)
    augmenters = [Augmenter(one, names, seed, replacing.rate) for one in replacing.mode]
    replaced = 0

    def made() -> Iterator[BioCDocument]:
        nonlocal replaced
        for document in _documents(inputs, corpus, split):
            for augmenter in augmenters:
                for copy in range(1, replacing.copies + 1):
                    synthetic, number = augmenter(document, copy)
                    replaced += number
                    yield synthetic

    number = write(made(), out, format, report=warn)
    if as_json:
        print(json.dumps({"articles": number, "replaced": replaced, "out": str(out)}))
    else:
        print(f"wrote {number} synthetic articles with {replaced} replaced mentions to {out}")


def dictionary(
    inputs: CorpusInputsArgument,
    out: OutFolderOption,
    samples: Annotated[bool, typer.Option("--samples", help="Also write samples for disambiguation.")] = False,
    linked: Annotated[
        bool,
        typer.Option(
            "--linked",
            help="Read the pairs from mentions with identifiers: acronym and name of a concept in an article.",
        ),
    ] = False,
    least: Annotated[int, typer.Option(help="Lowest number of articles that define a sense.", min=1)] = 1,
    limit: Annotated[int | None, typer.Option(help="Stop after this number of articles.", min=1)] = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a dictionary of acronyms from the definitions in articles, with the frequency of each sense."""
    from dataclasses import asdict

    from nlmchem.abbreviations import define
    from nlmchem.abbreviations.dictionary import make, observations
    from nlmchem.abbreviations.linked import linked_pairs
    from nlmchem.tagging.tokenization.sentences import sentences

    found = islice(_documents(inputs, corpus, split), limit)
    detect: Detector = linked_pairs if linked else lambda document: define(document).definitions
    defined = observations(found, detect, sentences if samples else None)
    summary = make(counted(defined, "articles"), out, samples, seed, least)
    if as_json:
        print(json.dumps({**asdict(summary), "out": str(out)}))
    else:
        print(
            f"{summary.articles} articles ({summary.defining} with definitions), {summary.pairs} pairs; "
            f"{summary.short_forms} short forms with {summary.long_forms} long forms ({summary.merged} merged), "
            f"{summary.ambiguous} ambiguous; {summary.samples} samples; results in {out}"
        )


def pairs(
    inputs: CorpusInputsArgument,
    out: OutFileOption,
    most: Annotated[int, typer.Option(help="Highest number of pairs in each group with each answer.", min=1)] = 500,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make word-in-context pairs in the four groups of BioWiC, from articles with concept identifiers."""
    from collections import Counter

    from corpora.datasets.context_pairs import dumps
    from corpora.datasets.pairing import Contexts
    from corpora.datasets.pairing import pairs as make_pairs
    from corpora.storage.atomic import write_bytes
    from nlmchem.tagging.tokenization.sentences import sentences

    contexts = Contexts(sentences, seed)
    for document in _documents(inputs, corpus, split):
        contexts.add(document)
    made = make_pairs(contexts, most)
    write_bytes(out, dumps(made))
    counted = sorted(Counter((pair.group, pair.same) for pair in made).items())
    if as_json:
        rows = [{"group": group, "same": same, "pairs": number} for (group, same), number in counted]
        print(json.dumps({"groups": rows, "out": str(out)}))
        return
    print("group\tanswer\tpairs")
    for (group, same), number in counted:
        print(f"{group}\t{'same' if same else 'different'}\t{number}")


def _documents(inputs: list[str], corpus: str | None, split: str | None) -> Iterator[BioCDocument]:
    from corpora.datasets.sources import documents

    return documents(inputs, corpus, split, warn)
