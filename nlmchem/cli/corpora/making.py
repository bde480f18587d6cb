"""`nlmchem corpora augment|distant|dictionary`: training data made from corpora."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.commands.options import option
from nlmchem.cli.old_expand_options import expand_options
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
from nlmchem.commands.progress import counted, warn

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.abbreviations.dictionary import Detector

AUGMENT_EXAMPLE = "Example: nlmchem corpora augment train.xml -o synthetic.xml --mode synonym,random"
DISTANT_EXAMPLE = "Example: nlmchem corpora distant articles/ -o distant.jsonl"
DICTIONARY_EXAMPLE = "Example: nlmchem corpora dictionary articles/ -o acronyms/ --samples"


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
    from nlmchem.tagging.training.augmentation import Augmenter, Names
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        # The mode random uses no names, and to read all of them takes seconds.
        names = Names.of(opened.names() if set(replacing.mode) - {"random"} else (), opened.version)
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


def distant(
    inputs: CorpusInputsArgument,
    out: OutFileOption,
    limit: Annotated[int | None, typer.Option(help="Stop after this number of articles.", min=1)] = None,
    labelled_only: Annotated[
        bool, typer.Option("--labelled-only", help="Write only passages with a chemical.")
    ] = False,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    format: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Label articles with the names of MeSH, as training data for `nlmchem train tagger --first`.

    Annotations of the articles are replaced. Training does not count text with annotations of the type Masked:
    proteins, roles, and names that are chemicals in some articles only.
    """
    from corpora.writing import write
    from nlmchem.tagging.gazetteer.classes import shipped_gazetteer
    from nlmchem.tagging.training.distant import distantly_labelled, masked, remove_unlabelled

    gazetteer = shipped_gazetteer(strict=True)
    chemicals = hidden = 0

    def made() -> Iterator[BioCDocument]:
        nonlocal chemicals, hidden
        for document in counted(islice(_documents(inputs, corpus, split), limit), "articles"):
            chemicals += distantly_labelled(document, gazetteer)
            if labelled_only:
                remove_unlabelled(document)
            hidden += len(masked(document))
            yield document

    number = write(made(), out, format, report=warn)
    if as_json:
        print(json.dumps({"articles": number, "chemicals": chemicals, "masked": hidden, "out": str(out)}))
    else:
        print(f"wrote {number} articles with {chemicals} chemicals and {hidden} masked names to {out}")


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


def _documents(inputs: list[str], corpus: str | None, split: str | None) -> Iterator[BioCDocument]:
    from corpora.datasets.registry import documents

    return documents(inputs, corpus, split, warn)
