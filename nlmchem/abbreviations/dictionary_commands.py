"""`nlmchem corpora dictionary`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import group, option
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record
from corpora.commands.shared import out_folder, seed_option
from corpora.datasets.options import CorpusInputs
from corpora.words.quantities import quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class DictionaryOptions:
    """The options of `nlmchem corpora dictionary`."""

    articles: CorpusInputs = group(CorpusInputs)
    out: Path = out_folder()
    samples: bool = option(False, "Also write samples for disambiguation.")
    linked: bool = option(
        False, "Read the pairs from mentions with identifiers: acronym and name of a concept in an article."
    )
    least: int = option(1, "Lowest number of articles that define a sense.", minimum=1)
    limit: int | None = option(None, "Stop after this number of articles.", minimum=1)
    seed: int = seed_option()


def corpora_dictionary(options: DictionaryOptions, progress: Progress) -> Result:
    """Make a dictionary of acronyms from the definitions in articles, with the frequency of each sense."""
    from dataclasses import asdict
    from itertools import islice

    from nlmchem.abbreviations import define
    from nlmchem.abbreviations.dictionary import Detector, make, observations
    from nlmchem.abbreviations.linked import linked_pairs
    from nlmchem.tagging.tokenization.sentences import sentences

    out = options.out
    articles = islice(options.articles.documents(progress), options.limit)
    detect: Detector = linked_pairs if options.linked else lambda document: define(document).definitions
    defined = progress.counted(observations(articles, detect, sentences if options.samples else None), "articles")
    summary = make(defined, out, options.samples, options.seed, options.least)
    text = (
        f"{quantity(summary.articles, 'article')} ({summary.defining} with definitions), "
        f"{quantity(summary.pairs, 'pair')}; "
        f"{quantity(summary.short_forms, 'short form')} with "
        f"{quantity(summary.long_forms, 'long form')} ({summary.merged} merged), "
        f"{summary.ambiguous} ambiguous; {quantity(summary.samples, 'sample')}; results in {out}"
    )
    return record({**asdict(summary), "out": str(out)}, text, files=(out,), value=summary)


DICTIONARY = Command(
    "corpora dictionary", DictionaryOptions, corpora_dictionary,
    Call({"inputs": ["articles/"], "out": "acronyms/", "samples": True}),
)  # fmt: skip
