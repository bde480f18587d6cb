"""The pipeline: stages that run one after another over chunks of articles."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from os import PathLike
from typing import Any, overload

from bioc import BioCCollection, BioCDocument, BioCPassage

from nlmchem.results import Article, Collection, article_of, collection_of
from nlmchem.steps.step import Stage

__all__ = ["NamedStage", "Pipeline", "StageError"]

CHUNK = 8
"""Articles that are in memory at the same time."""
LONGEST_PATH = 4096


@dataclass(frozen=True, slots=True)
class NamedStage:
    """A stage with the name under which its durations and failures are reported."""

    name: str
    stage: Stage


class StageError(Exception):
    """A stage raised an error, so its chunk cannot be used. `__cause__` is that error."""

    def __init__(self, stage: str) -> None:
        super().__init__(stage)
        self.stage = stage


class Pipeline:
    """Annotates a text, a document, a collection, or an iterable of them.

    pipe("Rats were given glucose.").mentions
    for article in pipe(corpora.read("articles/")): ...
    """

    def __init__(self, stages: Sequence[NamedStage]) -> None:
        self.stages = tuple(stages)

    @overload
    def __call__(self, given: str | BioCDocument) -> Article: ...

    # `bioc` has no types, so mypy takes its classes for `Any`.
    @overload
    def __call__(self, given: BioCCollection) -> Collection: ...  # type: ignore[overload-cannot-match]

    @overload
    def __call__(self, given: Iterable[str | BioCDocument]) -> Iterator[Article]: ...  # type: ignore[overload-cannot-match]

    def __call__(self, given: Any) -> Any:
        """Annotate a text, or documents in place.

        Args:
            given: A text: it becomes an article with one passage. A `BioCDocument` or a `BioCCollection`: it is
                annotated and returned. An iterable of texts and documents: an iterator over the annotated articles, in
                order, with at most `CHUNK` of them in memory.

        Raises:
            TypeError: `given`, or an item of it, is something else.
            ArticleError: An article cannot be annotated.
        """
        if isinstance(given, BioCCollection):
            for _ in self._stream(given.documents):
                pass
            return collection_of(given)
        if isinstance(given, str | BioCDocument):
            return next(self._stream([given]))
        if isinstance(given, bytes | Mapping | PathLike) or not isinstance(given, Iterable):
            raise TypeError(_wanted(given))
        return self._stream(given)

    def _stream(self, items: Iterable[Any]) -> Iterator[BioCDocument]:
        source = map(_document, items)
        while chunk := list(islice(source, CHUNK)):
            for named in self.stages:
                named.stage(chunk)
            yield from map(article_of, chunk)

    def annotate(self, chunk: Sequence[BioCDocument]) -> dict[str, float]:
        """Annotate one chunk in place. Returns the seconds that each stage took.

        Raises `StageError` if a stage raises an error. The chunk cannot be used then.
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


def _document(item: Any) -> BioCDocument:
    if isinstance(item, BioCDocument):
        return item
    if not isinstance(item, str):
        raise TypeError(_wanted(item))
    if ("/" in item or "." in item) and len(item) < LONGEST_PATH and os.path.exists(item):  # noqa: PTH110
        raise TypeError(f"{item!r} is the name of a file, not a text; read it first: pipe(corpora.read({item!r}))")
    document = BioCDocument()
    document.id = "text"
    document.passages = [BioCPassage.of_text(item)]
    return document


def _wanted(given: Any) -> str:
    what = "a pipeline takes text, a BioCDocument, a BioCCollection, or an iterable of texts and documents"
    remedy = ""
    if isinstance(given, bytes):
        remedy = "; decode it first"
    elif isinstance(given, PathLike):
        remedy = f"; read it first: pipe(corpora.read({str(given)!r}))"
    elif isinstance(given, BioCPassage):
        remedy = "; put it into a BioCDocument"
    return f"{what}, not {type(given).__name__}{remedy}"
