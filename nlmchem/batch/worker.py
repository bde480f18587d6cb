"""What a worker does with a block of articles; one bad article costs itself alone."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bioc import BioCDocument

from corpora import formats
from corpora.document import Violation, check, mentions, overlapping_passages, require_invariant
from corpora.errors import NlmchemError
from nlmchem.batch.tasks import Failure, Result, Setup, Task
from nlmchem.batch.timelimit import TimeExpired, limited
from nlmchem.config import Configuration
from nlmchem.pipeline import Pipeline, StageError, build

__all__ = ["annotate_block"]

MAX_NOTES = 20
"""Notes kept of one article; how many more there were is the last of them."""


@lru_cache(maxsize=1)
def _pipeline(configuration: Configuration) -> Pipeline:
    """The models, loaded once in a worker's life."""
    return build(configuration)


def annotate_block(setup: Setup, tasks: Sequence[Task]) -> list[Result]:
    """One result a task, in order. Raises `NlmchemError` only where no article could be annotated at all."""
    pipeline = _pipeline(setup.configuration)
    return _annotate(setup, pipeline, list(tasks))


@dataclass(slots=True)
class _Article:
    """An article on its way through the worker."""

    task: Task
    stage: str = "read"
    document: BioCDocument | None = None
    notes: list[str] = field(default_factory=list)
    failure: Failure | None = None
    fragment: bytes | None = None
    seconds: dict[str, float] = field(default_factory=dict)


def _annotate(setup: Setup, pipeline: Pipeline, tasks: list[Task]) -> list[Result]:
    """The whole chunk at once; where it goes wrong, its halves, with fresh copies of the articles."""
    limit = None if setup.timeout is None else setup.timeout * len(tasks)
    articles = [_Article(task) for task in tasks]
    try:
        with limited(limit):
            _work(setup, pipeline, articles)
    except (TimeExpired, StageError) as error:
        if len(tasks) == 1:
            articles[0].failure = _failure(articles[0].stage, error, setup)
        else:
            middle = len(tasks) // 2
            first = _annotate(setup, pipeline, tasks[:middle])
            return first + _annotate(setup, pipeline, tasks[middle:])
    return [_result(article) for article in articles]


def _work(setup: Setup, pipeline: Pipeline, articles: Sequence[_Article]) -> None:
    for article in articles:
        _guarded(article, "read", _read)
    alive = [article for article in articles if article.failure is None]
    violations = {id(article): check(article.document) for article in alive}
    for article in alive:
        article.notes += [f"{violation}; kept as it was" for violation in violations[id(article)]]
        article.notes += overlapping_passages(article.document)
        article.stage = "annotate"
    if alive:
        seconds = pipeline.annotate([article.document for article in alive])
        for article in alive:
            article.seconds |= {stage: spent / len(alive) for stage, spent in seconds.items()}
    for article in alive:
        _guarded(article, "check", _check, violations[id(article)])
        if article.failure is None:
            _guarded(article, "write", _write, setup.configuration.format)


def _guarded(article: _Article, stage: str, step: Callable[..., None], *arguments: object) -> None:
    """Do one step of one article; whatever it raises is this article's failure, nobody else's."""
    article.stage = stage
    begun = time.perf_counter()
    try:
        step(article, *arguments)
    except Exception as error:
        article.failure = _failure(stage, error, None)
    article.seconds[stage] = time.perf_counter() - begun


def _read(article: _Article) -> None:
    task = article.task
    document = formats.readable(task.format).parse(task.raw, article.notes.append)
    if not document.id:
        document.id = task.fallback_id
    if not document.passages:
        article.notes.append(f"document {document.id!r} has no passages; it was written as it came")
    article.document = document


def _check(article: _Article, known: Sequence[Violation]) -> None:
    require_invariant(article.document, known)


def _write(article: _Article, format: str) -> None:
    article.fragment = formats.writable(format).dumps(article.document, article.notes.append)


def _failure(stage: str, error: BaseException, setup: Setup | None) -> Failure:
    if isinstance(error, StageError):
        stage, error = error.stage, error.__cause__ or error
    if isinstance(error, TimeExpired):
        limit = setup.timeout if setup else None
        message = f"it took longer than {limit:g} s; raise --timeout, or look at the article"
        return Failure("time", message, "".join(traceback.format_exception(error)))
    if isinstance(error, NlmchemError):
        message = str(error)
    elif isinstance(error, MemoryError):
        message = "there was not enough memory for it; use fewer --workers, or a machine with more"
    else:
        message = f"unexpected {type(error).__name__}: {error}; please report it with the quarantined article"
    return Failure(stage, message, "".join(traceback.format_exception(error)))


def _result(article: _Article) -> Result:
    task, document = article.task, article.document
    notes = article.notes
    if len(notes) > MAX_NOTES:
        notes = [*notes[:MAX_NOTES], f"... and {len(notes) - MAX_NOTES} more of this article"]
    count = 0 if document is None or article.failure else sum(1 for _ in mentions(document))
    return Result(
        source=task.source,
        position=task.position,
        hash=task.hash,
        document="" if document is None else str(document.id),
        fragment=None if article.failure else article.fragment,
        failure=article.failure,
        mentions=count,
        notes=tuple(notes),
        seconds=article.seconds,
    )
