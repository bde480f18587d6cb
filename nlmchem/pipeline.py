"""Stages, one after another, over bounded chunks of articles."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bioc import BioCDocument

from corpora.reporting import Report, log
from nlmchem.configuration import Configuration
from nlmchem.existing_mentions import ExistingMentions

if TYPE_CHECKING:
    from indexing.indexer import Indexer
    from nlmchem.tagging.registry import TaggerChoice
    from sieves.dense.fallback import DenseFallback
    from sieves.lexicon.lexicon import Lexicon

__all__ = ["NamedStage", "Pipeline", "Stage", "StageError", "build", "load", "prepare", "resources"]

CHUNK = 8
"""Articles that a stream holds in memory at once."""


class Stage(Protocol):
    """Adds annotations to the articles of a chunk, in place; keeps nothing from one chunk to the next."""

    def __call__(self, documents: Sequence[BioCDocument]) -> None: ...


@dataclass(frozen=True, slots=True)
class NamedStage:
    """A stage and the name under which its durations and failures are told."""

    name: str
    stage: Stage


class StageError(Exception):
    """A stage has raised: its chunk is spoilt. `__cause__` is what it raised."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class Pipeline:
    """Annotates any iterable of documents, in order: `for document in pipeline(corpora.read(...))`."""

    def __init__(self, stages: Sequence[NamedStage]) -> None:
        self.stages = tuple(stages)

    def __call__(self, documents: Iterable[BioCDocument]) -> Iterator[BioCDocument]:
        """The same documents, annotated in place; `CHUNK` at a time are in memory."""
        source = iter(documents)
        while chunk := list(islice(source, CHUNK)):
            for named in self.stages:
                named.stage(chunk)
            yield from chunk

    def annotate(self, chunk: Sequence[BioCDocument]) -> dict[str, float]:
        """Annotate one chunk in place; says how many seconds each stage took.

        Raises `StageError` when a stage raises: the chunk is spoilt then.
        """
        seconds: dict[str, float] = {}
        for named in self.stages:
            begun = time.perf_counter()
            try:
                named.stage(chunk)
            except Exception as error:
                raise StageError(named.name) from error
            seconds[named.name] = time.perf_counter() - begun
        return seconds


def build(configuration: Configuration, report: Report = log) -> Pipeline:
    """The pipeline of a configuration. Raises `ConfigurationError`, `ResourceError` for what cannot be opened."""
    configuration = configuration.checked()
    if not configuration.steps:
        return Pipeline([])

    from sieves.lexicon.lexicon import Lexicon
    from sieves.normalizer import Normalizer

    steps, stages = configuration.steps, list[NamedStage]()
    if "abbreviate" in steps:
        from nlmchem.abbreviations import AbbreviationStage

        stages.append(NamedStage("abbreviate", AbbreviationStage()))
    lexicon = Lexicon.open(configuration.lexicon, configuration.as_of)
    existing = ExistingMentions(configuration.existing_mentions, tagging="tag" in steps)
    if "tag" in steps or "normalize" in steps:
        stages.append(NamedStage("existing", existing.prepare))
    if "tag" in steps:
        stages += [NamedStage("tag", _taggers(configuration).stage(lexicon)), NamedStage("overlaps", existing.settle)]
    if "normalize" in steps:
        stages.append(NamedStage("normalize", Normalizer(lexicon, dense=_dense(configuration, lexicon, report))))
    if "index" in steps:
        from indexing.stage import IndexStage

        stages.append(NamedStage("index", IndexStage(_indexer(configuration, lexicon), configuration.existing_terms)))
    return Pipeline(stages)


def prepare(configuration: Configuration, report: Report = log) -> None:
    """Make, once, what workers would each make: the name vectors of the dense fallback. Raises `ResourceError`."""
    configuration = configuration.checked()
    if configuration.dense is None:
        return
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(configuration.lexicon) as lexicon:
        _dense(configuration, lexicon, report)


def resources(configuration: Configuration) -> dict[str, str]:
    """Names and hashes of the lexicons and models of a configuration. Raises `ResourceError`."""
    from sieves.lexicon.lexicon import Lexicon

    configuration = configuration.checked()
    if not configuration.steps:
        return {}
    found = {"lexicon": Lexicon.open(configuration.lexicon).version}
    if "tag" in configuration.steps:
        found |= _taggers(configuration).versions()
    if configuration.dense is not None:
        from sieves.dense.encoders import encoder_version

        found["dense encoder"] = encoder_version(configuration.dense)
    if "index" in configuration.steps:
        indexer = _indexer(configuration, None)
        found["indexer"] = f"{indexer.name} {indexer.version}"
    return found


def _dense(configuration: Configuration, lexicon: Lexicon, report: Report) -> DenseFallback | None:
    if configuration.dense is None:
        return None
    from sieves.dense.fallback import open_fallback

    path = None if configuration.lexicon is None else Path(configuration.lexicon)
    return open_fallback(
        lexicon, path, configuration.dense, configuration.dense_threshold, configuration.device, report
    )


def _indexer(configuration: Configuration, lexicon: Lexicon | None) -> Indexer:
    from indexing.registry import open_indexer

    return open_indexer(configuration.indexer, lexicon, configuration.index_threshold)


def _taggers(configuration: Configuration) -> TaggerChoice:
    from nlmchem.tagging.models.embedded import default_tagger
    from nlmchem.tagging.registry import TaggerChoice, split_names

    return TaggerChoice(
        split_names(configuration.tagger or default_tagger()),
        configuration.min_score,
        configuration.rules,
        skip_sections=frozenset(configuration.skip_sections),
        device=configuration.device,
        arithmetic=configuration.arithmetic,
    )


def load(
    lexicon: str | PathLike[str] | None = None,
    *,
    as_of: int | None = None,
    steps: Sequence[str] = Configuration().steps,
    skip_sections: Sequence[str] = (),
    existing: str | None = None,
    tagger: str | None = None,
    device: str = "cpu",
    arithmetic: str = "auto",
    min_score: float = 0.0,
    rules: str = "default",
    dense: str | PathLike[str] | None = None,
    dense_threshold: float | None = None,
    indexer: str | PathLike[str] | None = None,
    index_threshold: float | None = None,
) -> Pipeline:
    """The pipeline in one call, for use from Python.

    `lexicon` is a path, None for the starter lexicon; `dense` and `indexer` are names or paths, as on the command
    line. Raises `ConfigurationError`, `ResourceError`.
    """
    return build(
        Configuration(
            steps=tuple(steps),
            lexicon=None if lexicon is None else str(lexicon),
            as_of=as_of,
            skip_sections=tuple(skip_sections),
            existing=existing,
            tagger=tagger,
            device=device,
            arithmetic=arithmetic,
            min_score=min_score,
            rules=rules,
            dense=None if dense is None else str(dense),
            dense_threshold=dense_threshold,
            indexer=None if indexer is None else str(indexer),
            index_threshold=index_threshold,
        )
    )
