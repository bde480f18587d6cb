"""The pipeline: stages that run one after another over chunks of articles."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, overload

from bioc import BioCCollection, BioCDocument, BioCPassage

from corpora.errors import ConfigurationError, OptionError
from corpora.reporting import Report, log
from nlmchem.api.concepts import NAMES, PreferredNames
from nlmchem.api.other_tools import CALL, PIPE, PIPELINE, missing_attribute, unknown_argument
from nlmchem.api.results import Article, Collection, article_of, collection_of
from nlmchem.engine.documents import annotate_document, annotate_here, annotate_in_processes
from nlmchem.explaining.explainer import explainer_of
from nlmchem.run.plan import Plan
from nlmchem.run.step import NamedStage, Stages, open_stages
from nlmchem.steps.shared import report_conflicts
from nlmchem.steps.tag import TagOptions
from sieves.lexicon.options import LexiconOptions, NamesOptions

if TYPE_CHECKING:
    from nlmchem.deciding.explanation import ExplainedSpan

CHUNK = 8
"""Articles that are in memory at the same time."""
LONGEST_PATH = 4096
CLOSED = "this pipeline is closed; load another one"

T = TypeVar("T")
Explain = Callable[[BioCDocument], "list[ExplainedSpan]"]


class Pipeline:
    """Annotates a text, a document, a collection, or an iterable of them.

    pipe("Rats were given glucose.").mentions
    for article in pipe(nlmchem.read("articles/")): ...
    """

    def __init__(
        self,
        stages: Stages,
        names: PreferredNames = NAMES,
        settings: str = "",
        explain: Explain | None = None,
        plan: Plan | None = None,
    ) -> None:
        """`names`: gives `Mention.name`. `settings`: what `repr` shows after the steps. `explain`: makes the rows.

        `plan`: what other processes load the pipeline from; None: it works in this process only.
        """
        self._stages: Stages | None = stages
        self._steps = tuple(named.name for named in stages.named)
        self._names = names
        self._settings = settings
        self._explain = explain
        self._plan = plan

    @property
    def stages(self) -> tuple[NamedStage, ...]:
        """Its stages, in the order in which they run."""
        return self._open.named

    @property
    def steps(self) -> tuple[str, ...]:
        """The names of its steps, in the order in which they run."""
        return self._steps

    @property
    def pipe_names(self) -> list[str]:
        """The names of its steps as a list, as spaCy has them."""
        return list(self._steps)

    if not TYPE_CHECKING:  # With it, type checkers would accept any name.

        def __getattr__(self, name: str) -> Any:
            raise missing_attribute(PIPELINE, name, self)

    def close(self) -> None:
        """Close the lexicon and free the models. The pipeline cannot be used then; its articles can."""
        if self._stages is not None:
            self._stages.close()
            self._stages, self._explain = None, None
            self._names.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[[Plan], Pipeline], tuple[Plan]]:
        """A pickled pipeline holds its options, not its models: they are loaded where it is unpickled.

        A process loads the models of the same options once. Raises `TypeError` for stages without options.
        """
        return _loaded, (self._plan_for_others("cannot be pickled"),)

    @property
    def _open(self) -> Stages:
        if self._stages is None:
            raise ConfigurationError(CLOSED)
        return self._stages

    def _plan_for_others(self, problem: str) -> Plan:
        if self._plan is None:
            raise TypeError(f"a pipeline of stages without options {problem}; use one of nlmchem.load")
        return self._plan

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

    def __call__(self, given: Any, **unknown: Any) -> Any:
        """Annotate a text, or documents in place.

        Args:
            given: A text: it becomes an article with one passage. A `BioCDocument` or a `BioCCollection`: it is
                annotated and returned. An iterable of texts and documents: as `pipe` with its defaults.

        Raises:
            TypeError: `given`, or an item of it, is something else; or an option of `nlmchem.load` is given here.
            ArticleError: An article cannot be annotated.
        """
        _refuse_arguments(CALL, unknown)
        if isinstance(given, BioCCollection):
            given.documents[:] = list(self._articles(given.documents, CHUNK))
            return collection_of(given)
        if isinstance(given, str | BioCDocument):
            return article_of(annotate_document(self._open, _document(given, "1")), self._names)
        if isinstance(given, bytes | Mapping | PathLike) or not isinstance(given, Iterable):
            raise TypeError(_wanted(given))
        return self._articles(given, CHUNK)

    @overload
    def pipe(
        self,
        texts: Iterable[str | BioCDocument],
        as_tuples: Literal[False] = ...,
        batch_size: int = ...,
        n_process: int = ...,
    ) -> Iterator[Article]: ...

    @overload
    def pipe(
        self,
        texts: Iterable[tuple[str | BioCDocument, T]],
        as_tuples: Literal[True],
        batch_size: int = ...,
        n_process: int = ...,
    ) -> Iterator[tuple[Article, T]]: ...

    def pipe(
        self,
        texts: Iterable[Any],
        as_tuples: bool = False,
        batch_size: int = CHUNK,
        n_process: int = 1,
        **unknown: Any,
    ) -> Iterator[Any]:
        """Annotate many texts or documents.

        Args:
            texts: Texts and documents; with `as_tuples`, pairs of one of them and anything else, such as an id.
            as_tuples: Return pairs of an article and what was given with it.
            batch_size: How many articles are in the models at the same time. It does not change results.
            n_process: How many processes annotate; 1: this one. It does not change results. Each loads the models.

        Returns:
            An iterator over the articles, in order. The id of a text is its number, from 1.

        Raises:
            TypeError: `texts`, or an item of it, is something else; the message has the position of the item, from 1.
            OptionError: `batch_size` or `n_process` is not a positive whole number.
            ArticleError: An article cannot be annotated; the message has its position, from 1. It is raised after the
                articles before it.
        """
        _refuse_arguments(PIPE, unknown)
        for name, number in {"batch_size": batch_size, "n_process": n_process}.items():
            if not isinstance(number, int) or number < 1:
                raise OptionError(name, f"is {number!r}; it must be a whole number from 1")
        if isinstance(texts, BioCCollection):
            texts = texts.documents
        if isinstance(texts, str | BioCDocument):
            raise TypeError("pipe takes an iterable of texts; for one text, call the pipeline itself: nlp(text)")
        if isinstance(texts, bytes | Mapping | PathLike) or not isinstance(texts, Iterable):
            raise TypeError(_wanted(texts))
        if n_process > 1:
            self._plan_for_others("works in one process only")
        of_texts = self._pairs if as_tuples else self._articles
        return of_texts(texts, batch_size, n_process)

    def explain(self, given: str | BioCDocument) -> list[ExplainedSpan]:
        """Which texts become mentions, which do not, and why. Documents are not changed.

        Returns:
            One row for each distinct text that the tagger or the decision considered; mentions come first.

        Raises:
            TypeError: `given` is neither a text nor a document.
            OptionError: The pipeline has no step `tag`, or `decision="rules"`.
        """
        document = _document(given, "1")
        if self._stages is None:
            raise ConfigurationError(CLOSED)
        if self._explain is None:
            raise OptionError("steps", "has no tag, so there is nothing to explain; add tag")
        return self._explain(document)

    def _articles(self, items: Iterable[Any], size: int, processes: int = 1) -> Iterator[Article]:
        documents = (_item(item, number) for number, item in enumerate(items, 1))
        if processes == 1:
            annotated = annotate_here(self._open, documents, size)
        else:
            annotated = annotate_in_processes(self._plan_for_others(""), documents, size, processes)
        return (article_of(document, self._names) for document in annotated)

    def _pairs(self, pairs: Iterable[Any], size: int, processes: int) -> Iterator[tuple[Article, Any]]:
        others: deque[Any] = deque()

        def firsts() -> Iterator[Any]:
            for pair in pairs:
                if not isinstance(pair, tuple | list) or len(pair) != 2:
                    what = "with as_tuples=True, each item is a pair (text, something)"
                    raise TypeError(f"{what}, not {type(pair).__name__}")
                others.append(pair[1])
                yield pair[0]

        for article in self._articles(firsts(), size, processes):
            yield article, others.popleft()


_UNPICKLED: dict[str, Pipeline] = {}
"""The last pipeline that was unpickled in this process, by its options: `Pool.map` sends it with each block."""


def _loaded(plan: Plan) -> Pipeline:
    """The pipeline of a plan that another process has pickled."""
    key = json.dumps(plan.as_json(), sort_keys=True)
    pipeline = _UNPICKLED.get(key)
    if pipeline is None or pipeline._stages is None:
        pipeline = build_pipeline(plan)
        _UNPICKLED.clear()
        _UNPICKLED[key] = pipeline
    return pipeline


def _refuse_arguments(function: str, given: Mapping[str, object]) -> None:
    """Raise `TypeError` for arguments that a function does not have. It names what works."""
    for name in given:
        raise unknown_argument(function, name)


def _item(item: Any, number: int) -> BioCDocument:
    """The document of an item of an iterable. Raises `TypeError` with its number for a missing or a wrong value."""
    is_nan = isinstance(item, float) and item != item
    # The last two are missing values of pandas.
    if item is None or is_nan or type(item).__name__ in ("NAType", "NaTType"):
        remedy = 'leave out such rows, or give an empty text: texts.fillna("")'
        raise TypeError(f"text {number} (counted from 1) is a missing value, {item!r}; {remedy}")
    try:
        return _document(item, str(number))
    except TypeError as error:
        raise TypeError(f"text {number} (counted from 1): {error}") from None


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


def build_pipeline(plan: Plan, report: Report = log) -> Pipeline:
    """The pipeline of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    stages = open_stages(plan.chosen, report)
    context = stages.context
    assert context is not None
    lexicon = plan.options(LexiconOptions)
    names = NAMES if lexicon is None else PreferredNames(lexicon.lexicon, lambda: context.lexicon)
    if (names_option := plan.options(NamesOptions)) is not None and names_option.names:
        report_conflicts(context)
    explain = explainer_of(plan.chosen, [named.stage for named in stages.named], context)
    tag = plan.options(TagOptions)
    shown = "" if tag is None else f", tagger={tag.tagger!r}"
    if lexicon is not None and lexicon.lexicon is not None:
        shown += f", lexicon={lexicon.lexicon!r}"
    return Pipeline(stages, names, shown, explain, plan)
