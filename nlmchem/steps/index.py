"""The step `index`: the MeSH headings that an article is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nlmchem.options import MODELS, RESOURCES, option
from nlmchem.steps.shared import ExistingOptions, YearOptions, checked_lexicon
from nlmchem.steps.step import Chosen, Context, Stage, Step, absolute_path

if TYPE_CHECKING:
    from indexing.terms.indexer import Indexer
    from sieves.lexicon.lexicon import Lexicon


@dataclass(frozen=True)
class _IndexerOptions:
    """The options of `index` that no other step has."""

    indexer: str | None = option(
        None,
        "Indexer: default, title-abstract, rules, tfidf, or the path of a model (.json).",
        default_text="default, the embedded model",
        by_content=True,
        panel=RESOURCES,
    )
    index_threshold: float | None = option(
        None, "Lowest score of an index term.", minimum=0, maximum=1, default_text="the indexer's own", panel=MODELS
    )


@dataclass(frozen=True)
class IndexOptions(ExistingOptions, _IndexerOptions, YearOptions):
    """The options of `index`."""


def _check(options: IndexOptions, steps: Sequence[Chosen]) -> IndexOptions:
    return replace(
        checked_lexicon(options), indexer=absolute_path(options.indexer), existing=options.existing or "keep"
    )


def _stage(options: IndexOptions, context: Context) -> Stage:
    from indexing.terms.stage import IndexStage

    return IndexStage(_indexer(options, context.lexicon), str(options.existing))


def _resources(options: IndexOptions, context: Context) -> dict[str, str]:
    indexer = _indexer(options, None)
    return {"lexicon": context.lexicon.version, "indexer": f"{indexer.name} {indexer.version}"}


def _indexer(options: IndexOptions, lexicon: Lexicon | None) -> Indexer:
    from indexing.terms.registry import open_indexer

    return open_indexer(options.indexer, lexicon, options.index_threshold)


STEP = Step("index", IndexOptions, _stage, _check, _resources, default=True, adds_terms=True)
