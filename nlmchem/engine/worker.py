"""How a worker annotates a block of articles, each with a time limit. An article that fails affects no other."""

from __future__ import annotations

import ctypes
import faulthandler
import os
import pickle
import signal
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from types import FrameType

from bioc import BioCDocument

from corpora import plugins
from corpora.commands.options import with_flags
from corpora.errors import Argument, NlmchemError, ResourceError, Text, shortened
from corpora.model.document import left_out_of, mentions
from corpora.model.invariant import Violation, require_invariant, settle
from corpora.model.metadata import set_source_file
from corpora.reading import parse
from corpora.reporting import Report
from nlmchem.engine.tasks import (
    ANNOTATED,
    LEFT_OUT,
    MENTIONS,
    PROBABILITY,
    RATED,
    UNITS,
    Failure,
    Setup,
    Task,
    TaskResult,
    packed,
)
from nlmchem.run.observers import OBSERVERS
from nlmchem.run.step import StageError, Stages, open_stages
from nlmchem.steps.shared import AnnotatedError

GRACE = 10.0
"""Seconds after the limit after which a process that has not raised the exception is ended."""
MAX_NOTES = 20
"""The largest number of notes stored for an article. One more note gives the number of the others."""
LONGEST_SENTENCE = 1000
"""Characters of a note or of the reason of a failure. A value from the input that it quotes can be of any length."""

# A Dask worker may have several threads. They take turns: the time limit works for one thread of a process at a time,
# and the models use all processors that the worker may use. So one set of stages is enough for all threads. Any thread
# may use it, because connections of lexicons belong to no thread (`sieves.lexicon.database.connect`).
_ONE_AT_A_TIME = threading.Lock()
_LOADED: dict[str, Stages] = {}
"""The stages of this process, by the fingerprint of their configuration; only those of the last one."""


def annotate_block(setup: Setup, tasks: Sequence[Task]) -> list[TaskResult]:
    """One result for each task, in order. Raises `NlmchemError` only if the stages cannot be opened."""
    with _ONE_AT_A_TIME:
        stages = _stages(setup)
        results = _annotate(setup, stages, list(tasks)) if tasks else []
        # The C library keeps freed memory otherwise, as much as the largest article needed.
        with suppress(OSError, AttributeError):  # `malloc_trim` belongs to glibc.
            ctypes.CDLL(None).malloc_trim(0)
        return results


def _stages(setup: Setup) -> Stages:
    """The stages. Their models are loaded once in the life of a worker."""
    if setup.fingerprint not in _LOADED:
        while _LOADED:
            _LOADED.popitem()[1].close()
        if setup.plan.fingerprint()["sha256"] != setup.fingerprint:
            raise ResourceError(
                "a worker has another lexicon, model or version of nlmchem than the run; use the same ones everywhere"
            )
        _LOADED[setup.fingerprint] = open_stages(setup.plan.chosen)
    return _LOADED[setup.fingerprint]


@dataclass(slots=True)
class _ArticleInWork:
    """An article while it is processed."""

    task: Task
    stage: str = "read"
    document: BioCDocument | None = None
    violations: Sequence[Violation] = ()
    notes: list[str] = field(default_factory=list)
    failure: Failure | None = None
    fragment: bytes | None = None
    counts: dict[str, int] = field(default_factory=dict)
    observed: dict[str, bytes] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def result(self) -> TaskResult:
        """What the run receives. Of an article that failed, only its notes and times remain."""
        notes = [shortened(note, LONGEST_SENTENCE) for note in self.notes[:MAX_NOTES]]
        if len(self.notes) > MAX_NOTES:
            notes.append(f"... and {len(self.notes) - MAX_NOTES} more notes on this article")
        result = TaskResult(
            self.task.source,
            self.task.position,
            self.task.hash,
            document="" if self.document is None else str(self.document.id),
            failure=self.failure,
            notes=tuple(notes),
            seconds=self.seconds,
        )
        if self.failure is not None:
            return result
        return replace(result, fragment=self.fragment, counts=self.counts, observed=self.observed)


def _annotate(setup: Setup, stages: Stages, tasks: list[Task]) -> list[TaskResult]:
    """Annotate all tasks together. If that fails, annotate each half again, with new copies of the articles."""
    articles = [_ArticleInWork(task) for task in tasks]
    try:
        # The limit of one article holds for the whole chunk. So an article that passes in a chunk also passes alone,
        # and whether it passes does not depend on the other articles.
        with limited(setup.timeout):
            for article in articles:
                _guarded(setup, article, "read", _read)
            alive = [article for article in articles if article.failure is None]
            for article in alive:
                article.stage = "annotate"
            if alive:
                seconds = stages.annotate([article.document for article in alive])
                for article in alive:
                    article.seconds |= {stage: spent / len(alive) for stage, spent in seconds.items()}
            for article in alive:
                if not setup.objects:
                    _guarded(setup, article, "check", lambda _, one: require_invariant(one.document, one.violations))
                if article.failure is None:
                    _guarded(setup, article, "write", _write)
    except (TimeExpired, StageError) as error:
        if len(tasks) > 1:
            middle = len(tasks) // 2
            first = _annotate(setup, stages, tasks[:middle])
            return first + _annotate(setup, stages, tasks[middle:])
        articles[0].failure = _failure(setup, articles[0].stage, error)
    return [article.result() for article in articles]


def _guarded(setup: Setup, article: _ArticleInWork, stage: str, step: Callable[[Setup, _ArticleInWork], None]) -> None:
    """Run one step for one article. An error becomes the failure of this article."""
    article.stage = stage
    begun = time.perf_counter()
    try:
        step(setup, article)
    except (KeyboardInterrupt, TimeExpired):
        raise
    except BaseException as error:
        # Also `SystemExit`: a package with a format may call `sys.exit`.
        article.failure = _failure(setup, stage, error)
    article.seconds[stage] = time.perf_counter() - begun


def _read(setup: Setup, article: _ArticleInWork) -> None:
    task = article.task
    if setup.objects:
        article.document = pickle.loads(task.raw)
        return
    document = article.document = parse(task.format, task.raw, task.fallback_id, article.notes.append, task.infons)
    if task.path:
        set_source_file(document, task.path, task.member)
    if not document.passages:
        article.notes.append(f"document {document.id!r} has no passages; it was written without changes")
    article.violations = settle(document, _noting(article), setup.plan.files.offsets)


def _noting(article: _ArticleInWork) -> Report:
    # A run over files is a command: its notes name flags.
    return lambda sentence: article.notes.append(with_flags(Text(sentence)))


def _write(setup: Setup, article: _ArticleInWork) -> None:
    """Serialise the article, count what it contains, and note what observers want of it."""
    plan, document = setup.plan, article.document
    if setup.objects:
        article.fragment = pickle.dumps(document)
        return
    dumps = plan.dumps()
    written = plugins.returned(dumps(document, _noting(article)), bytes, dumps)
    article.fragment = written if plan.files.per_file is None else packed(written)
    for chosen in plan.chosen:
        if (count := chosen.step.count) is not None:
            for name, number in plugins.returned(count(document), dict, count).items():
                article.counts[name] = max(0, plugins.returned(number, int, count))
    stated = [mention.evidence.probability for mention in mentions(document)]
    probabilities = [round(probability * UNITS) for probability in stated if probability is not None]
    article.counts |= {MENTIONS: len(stated), RATED: len(probabilities), PROBABILITY: sum(probabilities)}
    if (left_out := left_out_of(document)) is not None:
        article.counts[LEFT_OUT] = left_out
    for name in setup.observers:
        note = OBSERVERS.named(name, "observer").note
        article.observed[name] = plugins.returned(note(document), bytes, note)


def reason_of(error: StageError) -> Text:
    """Why a stage failed, in one sentence."""
    return _reason(error.stage, error)[1]


def _failure(setup: Setup, stage: str, error: BaseException) -> Failure:
    stage, message = _reason(stage, error, setup.timeout)
    # A run over files is a command: the reason is stored with the names of its flags.
    sentence = str(message) if setup.objects else with_flags(message)
    return Failure(stage, shortened(sentence, LONGEST_SENTENCE), "".join(traceback.format_exception(error)))


def _reason(stage: str, error: BaseException, timeout: float | None = None) -> tuple[str, Text]:
    """The stage of a failure, and its reason in one sentence."""
    if isinstance(error, StageError):
        stage, error = error.stage, error.__cause__ or error
    if isinstance(error, TimeExpired):
        took = f"it took longer than {timeout:g} s; use a higher "
        return "time", Text(took, Argument("timeout"), ", or check the article")
    if isinstance(error, NlmchemError):
        return ANNOTATED if isinstance(error, AnnotatedError) else stage, error.text
    if isinstance(error, MemoryError):
        few = "there was not enough memory; use fewer "
        return stage, Text(few, Argument("workers"), ", or a machine with more memory")
    return stage, Text(f"{plugins.unexpected(error)} with the article")


# -- the time limit ---------------------------------------------------------------------------


class TimeExpired(BaseException):
    """The time limit has passed. It is no `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Raise `TimeExpired` in the block after `seconds`; None: no limit.

    Native code that does not return to the interpreter cannot raise it. A C thread, which does not need the lock of
    the interpreter, ends such a process `GRACE` seconds later, and the run finds a dead worker. A process can have
    one limited block at a time.
    """
    if seconds is None:
        yield
        return
    with open(os.devnull, "w") as null:  # noqa: PTH123 (faulthandler needs a file with a descriptor)
        faulthandler.dump_traceback_later(seconds + GRACE, exit=True, file=null)
        try:
            in_main_thread = threading.current_thread() is threading.main_thread()
            with _alarm(seconds) if in_main_thread else _thrown(seconds):
                yield
        finally:
            faulthandler.cancel_dump_traceback_later()


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def expire(number: int, frame: FrameType | None) -> None:
        raise TimeExpired

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _thrown(seconds: float) -> Iterator[None]:
    # Dask runs tasks in threads, which receive no signals.
    thread = threading.get_ident()
    lock = threading.Lock()
    over = False

    def expire() -> None:
        with lock:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(TimeExpired))

    timer = threading.Timer(seconds, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        with lock:
            over = True
        timer.cancel()
