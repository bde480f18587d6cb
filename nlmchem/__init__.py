"""Finds chemicals in full-text articles, links them to MeSH and indexes the articles. Reads and writes BioC.

import corpora, nlmchem

pipe = nlmchem.load()
print(pipe("Rats were given glucose.").mentions)
for article in pipe(corpora.read("articles/")):
    for mention in article.mentions:
        print(mention.text, mention.identifiers, mention.evidence)
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from os import PathLike
from typing import TYPE_CHECKING

from nlmchem import own_packages

own_packages.require()

from nlmchem.configuration import DEFAULT_STEPS, Configuration  # noqa: E402 (after the check of the packages)

if TYPE_CHECKING:
    from nlmchem.pipeline import Pipeline

__all__ = ["__version__", "load"]

__version__ = version("nlmchem")


def load(
    lexicon: str | PathLike[str] | None = None,
    *,
    steps: Sequence[str] = DEFAULT_STEPS,
    tagger: str | PathLike[str] = "default",
    device: str = "cpu",
    arithmetic: str = "auto",
    guidelines: str | None = None,
    min_score: float = 0.0,
    rules: str = "default",
    decision: str | PathLike[str] | None = None,
    repair_types: Sequence[str] = (),
    explain: bool = False,
    dictionary: str | PathLike[str] | None = None,
    expand_threshold: float | None = None,
    as_of: int | None = None,
    sieves: Sequence[str] = (),
    skip_sections: Sequence[str] = (),
    existing: str | None = None,
    dense: str | PathLike[str] | None = None,
    dense_threshold: float | None = None,
    indexer: str | PathLike[str] | None = None,
    index_threshold: float | None = None,
    keyphrase_model: str | PathLike[str] | None = None,
    keyphrase_threshold: float | None = None,
) -> Pipeline:
    """A pipeline that annotates texts and documents: `pipe = load(); pipe("some text").mentions`.

    The arguments are the options of `nlmchem annotate`, where `nlmchem annotate --help` explains them. Without
    arguments the pipeline runs all steps but `expand`, with the models and the lexicon that come with the package.

    Args:
        lexicon: Path of a lexicon (.sqlite or .tsv), or `starter`. None: MeSH, as it comes with nlmchem.
        steps: Steps to run, of `abbreviate`, `expand`, `tag`, `repair`, `normalize`, `index` and `keyphrases`; by
            default all but `expand`, `repair` and `keyphrases`.
        tagger: `default` (the embedded model), `lexicon`, or the folder of a model; several joined by commas.
        device: Where models run: `cpu`, `cuda` or `cuda:N`.
        arithmetic: Arithmetic of models on a CPU: `int8`, `float32`, or `auto` (int8 if the processor has it).
        guidelines: Annotation guidelines that the model follows, one of those it was trained with: `bc5cdr`, `biored`,
            `chemdner` or `drugprot` with the embedded model. None: those of its target, NLM-Chem.
        min_score: Mentions of models with a lower score are removed, 0 to 1.
        rules: Rules that correct the mentions of a model: `default`, `all`, `none`, or names joined by commas.
        decision: `knowledge` (the lexicon corrects the mentions of the tagger), `learnt` (the embedded decision
            model), `rules` (no decision), or the path of a decision model (.json). None: `learnt` with the embedded
            tagger, otherwise `knowledge`.
        repair_types: Types of the mentions that the step `repair` takes. Empty: `Chemical`.
        explain: Whether to write into each new mention why the decision keeps it.
        dictionary: The dictionary of the step `expand`: a folder of `nlmchem train senses`, or a file of `nlmchem
            corpora dictionary`. None: the embedded one.
        expand_threshold: Lowest probability of a sense that the step `expand` writes, 0 to 1. None: 0.8.
        as_of: A MeSH year: its identifiers are used. The lexicon must contain the history of that year.
        sieves: Sieves in the order in which they are tried. Empty: all of them in the default order.
        skip_sections: Section types that are not tagged, for example `["REF"]`.
        existing: What to do with mentions, index terms and keyphrases of the input: `keep`, `replace` or `error`.
            None: `error` for mentions if the steps contain `tag`, otherwise `keep`.
        dense: Encoder of the dense fallback: `default` or the path of a model. None: no dense fallback.
        dense_threshold: Lowest cosine that the dense fallback accepts, 0 to 1. None: 0.85.
        indexer: `default`, `title-abstract`, `rules`, `tfidf`, or the path of a model (.json). None: `default`.
        index_threshold: Lowest score of an index term, 0 to 1. None: the threshold of the indexer.
        keyphrase_model: `default` or the path of a model (.json). None: `default`.
        keyphrase_threshold: Lowest score of a keyphrase, 0 to 1. None: the threshold of the model.

    Raises:
        ConfigurationError: An argument has a wrong value, or arguments contradict each other.
        ResourceError: A lexicon or a model is missing or cannot be read.
    """
    # First in the function: the arguments, by name. A test compares them with the fields of `Configuration`.
    arguments = dict(locals())

    from nlmchem.pipeline import build

    return build(Configuration.of(**arguments))
