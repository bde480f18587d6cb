"""Stages, one after another, over bounded chunks of articles."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Protocol

from bioc import BioCDocument

from nlmchem.config import Configuration
from nlmchem.existing import ExistingMentions

if TYPE_CHECKING:
    from nlmchem.tagging.named import TaggerChoice

__all__ = ["NamedStage", "Pipeline", "Stage", "StageError", "build", "load", "resources"]

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


def build(configuration: Configuration) -> Pipeline:
    """The pipeline of a configuration. Raises `ResourceError` for a lexicon that cannot be opened."""
    configuration = configuration.checked()
    if not configuration.steps:
        return Pipeline([])

    from sieves.lexicon import Lexicon
    from sieves.normalizer import Normalizer

    stages: list[NamedStage] = []
    if "abbreviate" in configuration.steps:
        from nlmchem.abbreviations import AbbreviationStage

        stages.append(NamedStage("abbreviate", AbbreviationStage()))
    lexicon = Lexicon.open(configuration.lexicon, configuration.as_of)
    existing = ExistingMentions(configuration.existing or "keep", tagging="tag" in configuration.steps)
    stages.append(NamedStage("existing", existing.prepare))
    if "tag" in configuration.steps:
        stages += [NamedStage("tag", _taggers(configuration).stage(lexicon)), NamedStage("overlaps", existing.settle)]
    if "normalize" in configuration.steps:
        stages.append(NamedStage("normalize", Normalizer(lexicon)))
    return Pipeline(stages)


def resources(configuration: Configuration) -> dict[str, str]:
    """Names and hashes of the lexicons and models of a configuration. Raises `ResourceError`."""
    from sieves.lexicon import Lexicon

    if not configuration.steps:
        return {}
    models = _taggers(configuration).versions() if "tag" in configuration.steps else {}
    return {"lexicon": Lexicon.open(configuration.lexicon).version, **models}


def _taggers(configuration: Configuration) -> TaggerChoice:
    from nlmchem.tagging.embedded import default_tagger
    from nlmchem.tagging.named import TaggerChoice, split_names

    return TaggerChoice(
        split_names(configuration.tagger or default_tagger()),
        configuration.min_score,
        skip_sections=frozenset(configuration.skip_sections),
        device=configuration.device,
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
    min_score: float = 0.0,
) -> Pipeline:
    """The pipeline in one call, for use from Python.

    `lexicon` is a path, None for the starter lexicon. Raises `ConfigurationError`, `ResourceError`.
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
            min_score=min_score,
        )
    )
