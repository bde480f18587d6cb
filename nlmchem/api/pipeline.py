"""The pipeline: stages that run one after another over chunks of articles."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from bioc import BioCCollection, BioCDocument, BioCPassage

from corpora.errors import OptionError
from nlmchem.api.concepts import NAMES, Names
from nlmchem.api.results import Article, Collection, article_of, collection_of
from nlmchem.run.step import Stage

if TYPE_CHECKING:
    from nlmchem.deciding.explanation import ExplainedSpan

CHUNK = 8
"""Articles that are in memory at the same time."""
LONGEST_PATH = 4096

T = TypeVar("T")
Explain = Callable[[BioCDocument], "list[ExplainedSpan]"]


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
    for article in pipe(nlmchem.read("articles/")): ...
    """

    def __init__(
        self,
        stages: Sequence[NamedStage],
        names: Names = NAMES,
        settings: str = "",
        explain: Explain | None = None,
    ) -> None:
        """`names`: gives `Mention.name`. `settings`: what `repr` shows after the steps. `explain`: makes the rows."""
        self.stages = tuple(stages)
        self._names = names
        self._settings = settings
        self._explain = explain or _no_tagger

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of its steps, in the order in which they run."""
        return tuple(named.name for named in self.stages)

    def __repr__(self) -> str:
        return f"Pipeline({' > '.join(self.steps)}{self._settings})"

    @overload
    def __call__(self, given: str) -> Article: ...

    @overload
    def __call__(self, given: Iterable[str | BioCDocument]) -> Iterator[Article]: ...

    # `bioc` has no types, so mypy takes its classes for `Any`, which accepts everything: they are the last.
    @overload
    def __call__(self, given: BioCDocument) -> Article: ...

    @overload
    def __call__(self, given: BioCCollection) -> Collection: ...  # type: ignore[overload-cannot-match]

    def __call__(self, given: Any) -> Any:
        """Annotate a text, or documents in place.

        Args:
            given: A text: it becomes an article with one passage. A `BioCDocument` or a `BioCCollection`: it is
                annotated and returned. An iterable of texts and documents: as `pipe` with its defaults.

        Raises:
            TypeError: `given`, or an item of it, is something else.
            ArticleError: An article cannot be annotated.
        """
        if isinstance(given, BioCCollection):
            given.documents[:] = list(self._articles(given.documents, CHUNK))
            return collection_of(given)
        if isinstance(given, str | BioCDocument):
            return next(self._articles([given], 1))
        if isinstance(given, bytes | Mapping | PathLike) or not isinstance(given, Iterable):
            raise TypeError(_wanted(given))
        return self._articles(given, CHUNK)

    @overload
    def pipe(
        self, texts: Iterable[str | BioCDocument], as_tuples: Literal[False] = ..., batch_size: int = ...
    ) -> Iterator[Article]: ...

    @overload
    def pipe(
        self, texts: Iterable[tuple[str | BioCDocument, T]], as_tuples: Literal[True], batch_size: int = ...
    ) -> Iterator[tuple[Article, T]]: ...

    def pipe(self, texts: Iterable[Any], as_tuples: bool = False, batch_size: int = CHUNK) -> Iterator[Any]:
        """Annotate many texts or documents.

        Args:
            texts: Texts and documents; with `as_tuples`, pairs of one of them and anything else, such as an id.
            as_tuples: Return pairs of an article and what was given with it.
            batch_size: How many articles are in memory and in the models at the same time. It does not change results.

        Returns:
            An iterator over the articles, in order. The id of a text is its number, from 1.

        Raises:
            TypeError: `texts`, or an item of it, is something else.
            OptionError: `batch_size` is not a positive whole number.
            ArticleError: An article cannot be annotated.
        """
        if not isinstance(batch_size, int) or batch_size < 1:
            raise OptionError("batch_size", f"is {batch_size!r}; it must be a whole number from 1")
        if isinstance(texts, BioCCollection):
            texts = texts.documents
        if isinstance(texts, str | BioCDocument):
            raise TypeError("pipe takes an iterable of texts; for one text, call the pipeline itself: nlp(text)")
        if isinstance(texts, bytes | Mapping | PathLike) or not isinstance(texts, Iterable):
            raise TypeError(_wanted(texts))
        return self._pairs(texts, batch_size) if as_tuples else self._articles(texts, batch_size)

    def explain(self, given: str | BioCDocument) -> list[ExplainedSpan]:
        """Which texts become mentions, which do not, and why. Documents are not changed.

        Returns:
            One row for each distinct text that the tagger or the decision considered; mentions come first.

        Raises:
            TypeError: `given` is neither a text nor a document.
            OptionError: The pipeline has no step `tag`, or `decision="rules"`.
        """
        return self._explain(_document(given, "1"))

    def _articles(self, items: Iterable[Any], size: int) -> Iterator[Article]:
        numbered = (_document(item, str(number)) for number, item in enumerate(items, 1))
        for chunk in _chunks(numbered, size):
            for named in self.stages:
                named.stage(chunk)
            yield from (article_of(document, self._names) for document in chunk)

    def _pairs(self, pairs: Iterable[Any], size: int) -> Iterator[tuple[Article, Any]]:
        others: deque[Any] = deque()

        def firsts() -> Iterator[Any]:
            for pair in pairs:
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    what = "with as_tuples=True, each item is a pair (text, something)"
                    raise TypeError(f"{what}, not {type(pair).__name__}")
                others.append(pair[1])
                yield pair[0]

        for article in self._articles(firsts(), size):
            yield article, others.popleft()

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


def _chunks(documents: Iterable[BioCDocument], size: int) -> Iterator[list[BioCDocument]]:
    """Chunks of at most this size. None contains a document twice: a step annotates it once in each chunk."""
    # By the `id` of the content, which an `Article` shares with a document.
    chunk: dict[int, BioCDocument] = {}
    for document in documents:
        if id(document.__dict__) in chunk:
            yield list(chunk.values())
            chunk = {}
        chunk[id(document.__dict__)] = document
        if len(chunk) == size:
            yield list(chunk.values())
            chunk = {}
    if chunk:
        yield list(chunk.values())


def _document(item: Any, number: str) -> BioCDocument:
    """A document of a text, with this id; a document unchanged, apart from its text (see below)."""
    if isinstance(item, BioCDocument):
        if not item.passages and item.__dict__.get("text"):
            # `BioCDocument.of_text` makes no passage, and only passages are annotated and written.
            item.passages = [BioCPassage.of_text(item.__dict__["text"])]
        return item
    if not isinstance(item, str):
        raise TypeError(_wanted(item))
    # Tables contain cells such as `.` for a missing value.
    is_path = ("/" in item or "." in item) and any(map(str.isalnum, item)) and len(item) < LONGEST_PATH
    if is_path and os.path.exists(item):  # noqa: PTH110
        raise TypeError(f"{item!r} is the name of a file, not a text; read it first: pipe(nlmchem.read({item!r}))")
    document = BioCDocument()
    document.id = number
    document.passages = [BioCPassage.of_text(item)]
    return document


def _no_tagger(document: BioCDocument) -> list[ExplainedSpan]:
    raise OptionError("steps", "has no tag, so there is nothing to explain; add tag")


def _wanted(given: Any) -> str:
    what = "a pipeline takes text, a BioCDocument, a BioCCollection, or an iterable of texts and documents"
    remedy = ""
    if isinstance(given, bytes):
        remedy = "; decode it first"
    elif isinstance(given, PathLike):
        remedy = f"; read it first: pipe(nlmchem.read({str(given)!r}))"
    elif isinstance(given, tuple):
        remedy = "; for pairs use pipe(pairs, as_tuples=True)"
    elif isinstance(given, BioCPassage):
        remedy = "; put it into a BioCDocument"
    return f"{what}, not {type(given).__name__}{remedy}"
