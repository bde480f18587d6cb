"""The step `index`: the MeSH headings that an article is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora.commands.options import option
from indexing.terms.registry import IndexerOptions
from nlmchem.run.step import MODELS, Chosen, Context, Stage, Step, absolute_path
from nlmchem.steps.shared import ExistingOptions, checked_lexicon
from sieves.lexicon.options import YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from indexing.terms.indexer import Indexer
    from sieves.lexicon.lexicon import Lexicon


WITHOUT_TERMS = "without index terms"
"""What the step counts: articles that are indexed, and have no index term."""


@dataclass(frozen=True)
class _TopOptions:
    """The options of `index` that no other step and no command has."""

    index_top: int | None = option(
        None,
        "Write the N best index terms of each article, also those below the indexer's own threshold.",
        metavar="N",
        minimum=1,
        default_text="those that reach the threshold",
        panel=MODELS,
        advanced=True,
    )


@dataclass(frozen=True)
class IndexOptions(ExistingOptions, _TopOptions, IndexerOptions, YearOptions):
    """The options of `index`."""


def _check(options: IndexOptions, steps: Sequence[Chosen]) -> IndexOptions:
    return replace(
        checked_lexicon(options), indexer=absolute_path(options.indexer), existing=options.existing or "keep"
    )


def _stage(options: IndexOptions, context: Context) -> Stage:
    from indexing.terms.indexer import IndexStage

    return IndexStage(_indexer(options, context.lexicon), str(options.existing), options.index_top)


def _resources(options: IndexOptions, context: Context) -> dict[str, str]:
    indexer = _indexer(options, None)
    return {"lexicon": context.lexicon.version, "indexer": f"{indexer.name} {indexer.version}"}


def _prepare(options: IndexOptions, context: Context) -> None:
    """Report what the lexicon lacks, once for all workers."""
    if not context.lexicon.concepts.has_trees:
        context.report(
            "the lexicon has no tree numbers: index terms can be concepts that are no chemicals, and the indexer does "
            "not know broader and narrower concepts; build the lexicon from the files of MeSH"
        )


def _indexer(options: IndexOptions, lexicon: Lexicon | None) -> Indexer:
    from indexing.terms.registry import open_indexer

    # The N best are chosen among all candidates, unless a threshold is given as well.
    threshold = 0.0 if options.index_threshold is None and options.index_top else options.index_threshold
    return open_indexer(options.indexer, lexicon, threshold)


def _count(document: BioCDocument) -> dict[str, int]:
    from corpora.model.document import index_terms

    return {WITHOUT_TERMS: int(not any(index_terms(document)))}


STEP = Step("index", IndexOptions, _stage, _check, _resources, _prepare, default=True, adds_terms=True, count=_count)
