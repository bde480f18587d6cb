"""What a worker does with a block of articles; one bad article costs itself alone."""

from __future__ import annotations

import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bioc import BioCDocument

from corpora.errors import NlmchemError, ResourceError
from corpora.formats import registry
from corpora.model.document import mentions
from corpora.model.invariant import Violation, check, overlapping_passages, require_invariant
from corpora.reading import parse
from nlmchem.batch.tasks import Failure, Result, Setup, Task
from nlmchem.batch.timelimit import TimeExpired, limited
from nlmchem.pipeline import Pipeline, StageError, build, resources

__all__ = ["annotate_block"]

MAX_NOTES = 20
"""Notes kept of one article; how many more there were is the last of them."""

# A Dask worker may have several threads; the time limit knows one piece of work in a process.
_ONE_AT_A_TIME = threading.Lock()
# By thread, since a lexicon belongs to the thread that opened it.
_LOADED = threading.local()


def annotate_block(setup: Setup, tasks: Sequence[Task]) -> list[Result]:
    """One result a task, in order. Raises `NlmchemError` only where no article could be annotated at all."""
    with _ONE_AT_A_TIME:
        pipeline = _pipeline(setup)
        return _annotate(setup, pipeline, list(tasks)) if tasks else []


def _pipeline(setup: Setup) -> Pipeline:
    """The models, loaded once in a worker's life."""
    held: tuple[str, Pipeline] | None = getattr(_LOADED, "held", None)
    if held is None or held[0] != setup.fingerprint:
        held = _LOADED.held = (setup.fingerprint, _build(setup))
    return held[1]


def _build(setup: Setup) -> Pipeline:
    configuration = setup.configuration
    if configuration.fingerprint(resources(configuration))["sha256"] != setup.fingerprint:
        raise ResourceError(
            "a worker has another lexicon or another version of nlmchem than the run began with; "
            "put the same ones in place"
        )
    return build(configuration)


@dataclass(slots=True)
class _Article:
    """An article on its way through the worker."""

    task: Task
    stage: str = "read"
    document: BioCDocument | None = None
    violations: Sequence[Violation] = ()
    notes: list[str] = field(default_factory=list)
    failure: Failure | None = None
    fragment: bytes | None = None
    mentions: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def _annotate(setup: Setup, pipeline: Pipeline, tasks: list[Task]) -> list[Result]:
    """The whole chunk at once; where it goes wrong, its halves, with fresh copies of the articles."""
    articles = [_Article(task) for task in tasks]
    try:
        # A chunk has the time that one article may take: so what passes in a chunk would pass alone,
        # and whether an article is in time does not hang on its neighbours.
        with limited(setup.timeout):
            _work(setup, pipeline, articles)
    except (TimeExpired, StageError) as error:
        if len(tasks) > 1:
            middle = len(tasks) // 2
            first = _annotate(setup, pipeline, tasks[:middle])
            return first + _annotate(setup, pipeline, tasks[middle:])
        articles[0].failure = _failure(articles[0].stage, error, setup.timeout)
    return [_result(article) for article in articles]


def _work(setup: Setup, pipeline: Pipeline, articles: Sequence[_Article]) -> None:
    for article in articles:
        _guarded(article, "read", _read)
    alive = [article for article in articles if article.failure is None]
    for article in alive:
        article.stage = "annotate"
    if alive:
        seconds = pipeline.annotate([article.document for article in alive])
        for article in alive:
            article.seconds |= {stage: spent / len(alive) for stage, spent in seconds.items()}
    for article in alive:
        _guarded(article, "check", _check)
        if article.failure is None:
            _guarded(article, "write", _write, setup.configuration.format)


def _guarded(article: _Article, stage: str, step: Callable[..., None], *arguments: object) -> None:
    """Do one step of one article; whatever it raises is this article's failure, nobody else's."""
    article.stage = stage
    begun = time.perf_counter()
    try:
        step(article, *arguments)
    except Exception as error:
        article.failure = _failure(stage, error)
    article.seconds[stage] = time.perf_counter() - begun


def _read(article: _Article) -> None:
    task = article.task
    document = article.document = parse(task.format, task.raw, task.fallback_id, article.notes.append)
    if not document.passages:
        article.notes.append(f"document {document.id!r} has no passages; it was written as it came")
    article.violations = check(document)
    article.notes += [f"{violation}; kept as it was" for violation in article.violations]
    article.notes += overlapping_passages(document)


def _check(article: _Article) -> None:
    require_invariant(article.document, article.violations)


def _write(article: _Article, format: str) -> None:
    article.fragment = registry.writable(format).dumps(article.document, article.notes.append)
    article.mentions = sum(1 for _ in mentions(article.document))


def _failure(stage: str, error: BaseException, timeout: float | None = None) -> Failure:
    if isinstance(error, StageError):
        stage, error = error.stage, error.__cause__ or error
    if isinstance(error, TimeExpired):
        stage, message = "time", f"it took longer than {timeout:g} s; raise --timeout, or look at the article"
    elif isinstance(error, NlmchemError):
        message = str(error)
    elif isinstance(error, MemoryError):
        message = "there was not enough memory for it; use fewer --workers, or a machine with more"
    else:
        message = f"unexpected {type(error).__name__}: {error}; please report it with the quarantined article"
    return Failure(stage, message, "".join(traceback.format_exception(error)))


def _result(article: _Article) -> Result:
    task, failed = article.task, article.failure is not None
    notes = article.notes
    if len(notes) > MAX_NOTES:
        notes = [*notes[:MAX_NOTES], f"... and {len(notes) - MAX_NOTES} more of this article"]
    return Result(
        source=task.source,
        position=task.position,
        hash=task.hash,
        document="" if article.document is None else str(article.document.id),
        fragment=None if failed else article.fragment,
        failure=article.failure,
        mentions=0 if failed else article.mentions,
        notes=tuple(notes),
        seconds=article.seconds,
    )
