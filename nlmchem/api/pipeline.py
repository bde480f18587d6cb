"""The pipeline: stages that run one after another over chunks of articles."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, TypeVar, Unpack, overload

from bioc import BioCCollection, BioCDocument

from corpora.commands.command import Logged, Progress
from corpora.errors import ArticleError, ConfigurationError, NlmchemError, OptionError
from corpora.reporting import Report, log
from corpora.words.quantities import quantity
from nlmchem.api.concepts import NAMES, PreferredNames
from nlmchem.api.inputs import Item, Items, Table, length_of, one_article, require_many, wanted
from nlmchem.api.other_tools import CALL, PIPE, PIPELINE, missing_attribute, unknown_argument
from nlmchem.api.results import Article, Articles, Collection, article_of, collection_of
from nlmchem.commands.progress import Terminal
from nlmchem.engine.documents import annotate_document, annotate_here, annotate_in_processes
from nlmchem.explaining.explainer import explainer_of
from nlmchem.run.plan import Plan
from nlmchem.run.step import NamedStage, Stages, open_stages
from nlmchem.steps.shared import report_conflicts
from nlmchem.steps.tag import TagOptions
from sieves.lexicon.options import LexiconOptions, NamesOptions

if TYPE_CHECKING:
    from nlmchem.explaining.explanation import ExplainedSpan

CHUNK = 8
"""Articles that are in memory at the same time."""
CLOSED = "this pipeline is closed; load another one"

T = TypeVar("T")
Function = tuple[str, Callable[[Article], object], str | None]
"""A function as a step: its name, the function, and the step after which it runs (None: it is the first)."""
Explain = Callable[[BioCDocument], "list[ExplainedSpan]"]


class Columns(TypedDict, total=False):
    """What names the columns of records, or is said of a text, for type checkers."""

    id: object
    title: str | None
    text: str | None


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
        self._functions: tuple[Function, ...] = ()

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

    def add_pipe(
        self,
        function: Callable[[Article], object],
        name: str | None = None,
        *,
        before: str | None = None,
        after: str | None = None,
    ) -> Callable[[Article], object]:
        """Add a function as a step: it is called with each article, changes it, and returns nothing or the article.

        Args:
            function: The function. It is returned.
            name: The name of the step. None: that of the function.
            before: The step before which it runs.
            after: The step after which it runs. Without both it is the last one.

        Raises:
            TypeError: `function` is not a function.
            OptionError: A step has this name already, or the pipeline has no step `before` or `after`.

        What the function raises is an `ArticleError` when an article is annotated.
        """
        if not callable(function):
            raise TypeError(
                f"add_pipe takes a function on an article, not {function!r}; nlmchem.load(steps=...) selects the steps"
            )
        name = name or str(getattr(function, "__name__", type(function).__name__))
        if name in self._steps:
            raise OptionError("name", f"is {name!r}, which another step has; give another one")
        for option, step in (("before", before), ("after", after)):
            if step is not None and step not in self._steps:
                raise OptionError(option, f"is {step!r}; the steps are {', '.join(self._steps)}")
        if before is not None:
            after = next(reversed(self._steps[: self._steps.index(before)]), None)
        elif after is None:
            after = next(reversed(self._steps), None)
        self._insert((name, function, after))
        return function

    def _insert(self, added: Function) -> None:
        name, function, after = added

        def stage(documents: Sequence[BioCDocument]) -> None:
            for document in documents:
                article = article_of(document, self._names)
                try:
                    returned = function(article)
                except NlmchemError:
                    raise
                except Exception as error:
                    what = f"the step {name} raised {type(error).__name__}"
                    raise ArticleError(f"{what}: {error}; correct the function") from error
                if returned is not None and getattr(returned, "__dict__", None) is not article.__dict__:
                    what = f"the step {name} returned {type(returned).__name__}, not its article"
                    raise ConfigurationError(f"{what}; change the article, and return it or nothing")

        named = list(self._open.named)
        named.insert(0 if after is None else self._steps.index(after) + 1, NamedStage(name, stage))
        self._stages = replace(self._open, named=tuple(named))
        self._steps = tuple(one.name for one in named)
        self._functions = (*self._functions, added)

    def __reduce__(self) -> tuple[Callable[..., Pipeline], tuple[Plan, tuple[Function, ...]]]:
        """A pickled pipeline holds its options, not its models: they are loaded where it is unpickled.

        A process loads the models of the same options once. Raises `TypeError` for stages without options.
        """
        return _loaded, (self._plan_for_others("cannot be pickled"), self._functions)

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
    def __call__(  # type: ignore[overload-overlap]
        self, given: str | Mapping[str, Any], **columns: Unpack[Columns]
    ) -> Article: ...

    @overload
    def __call__(self, given: Iterable[Item] | Table, **columns: Unpack[Columns]) -> Articles: ...

    # `bioc` has no types, so mypy takes its classes for `Any`, which accepts everything: they are the last.
    @overload
    def __call__(self, given: BioCDocument) -> Article: ...

    @overload
    def __call__(self, given: BioCCollection) -> Collection: ...  # type: ignore[overload-cannot-match]

    def __call__(
        self, given: Any, *, id: object = None, title: str | None = None, text: str | None = None, **unknown: Any
    ) -> Any:
        """Annotate a text, a record, or documents in place.

        Args:
            given: A text: it becomes an article with one passage. A record (a dictionary, the row of a data frame): it
                becomes an article as a row of CSV does. A `BioCDocument` or a `BioCCollection`: it is annotated and
                returned. A data frame, or an iterable of these: as `pipe` with its defaults.
            id: The id of a text; of records, the column of ids. None: `1`, and the usual columns.
            title: The title of a text; of records, the column of titles.
            text: The column of the texts of records. None: the usual columns.

        Raises:
            TypeError: `given`, or an item of it, is something else; or an option of `nlmchem.load` is given here.
            ArticleError: An article cannot be annotated.
        """
        _refuse_arguments(CALL, unknown)
        if (one := one_article(given, id, title, text)) is not None:
            return article_of(annotate_document(self._open, one), self._names)
        if isinstance(given, BioCCollection):
            given.documents[:] = list(self._articles(Items(id, title, text).articles(given.documents), CHUNK, 1))
            return collection_of(given)
        return self.pipe(given, id=id, title=title, text=text)

    @overload
    def pipe(
        self,
        texts: Iterable[Item] | Table,
        as_tuples: Literal[False] = ...,
        batch_size: int = ...,
        n_process: int = ...,
        *,
        progress: bool = ...,
        **columns: Unpack[Columns],
    ) -> Articles: ...

    @overload
    def pipe(
        self,
        texts: Iterable[tuple[Item, T]],
        as_tuples: Literal[True],
        batch_size: int = ...,
        n_process: int = ...,
        *,
        progress: bool = ...,
        **columns: Unpack[Columns],
    ) -> Iterator[tuple[Article, T]]: ...

    def pipe(
        self,
        texts: Any,
        as_tuples: bool = False,
        batch_size: int = CHUNK,
        n_process: int = 1,
        *,
        id: object = None,
        title: str | None = None,
        text: str | None = None,
        progress: bool = False,
        **unknown: Any,
    ) -> Iterator[Any]:
        """Annotate many texts, records or documents.

        Args:
            texts: Texts, records (dictionaries) and documents, or a data frame of records; with `as_tuples`, pairs of
                one of them and anything else.
            as_tuples: Return pairs of an article and what was given with it.
            batch_size: How many articles are in the models at the same time. It does not change results.
            n_process: How many processes annotate; 1: this one. It does not change results. Each loads the models.
            id: The column of ids of records, or an iterable with the ids of all texts. None: the usual columns; with
                `as_tuples` also of a dictionary that is given with a text. What has no id gets its number, from 1.
            title: The column of titles of records. None: the usual columns.
            text: The column of texts of records. None: the usual columns.
            progress: Show on standard error how many articles are done.

        Returns:
            A stream of the articles, in order.

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
        if isinstance(texts, str | BioCDocument | Mapping):
            raise TypeError("pipe takes an iterable of texts; for one text, call the pipeline itself: nlp(text)")
        given, length, items = require_many(texts), length_of(texts), Items(id, title, text)
        if n_process > 1:
            self._plan_for_others("works in one process only")
        shown: Progress = Terminal() if progress else Logged()
        if as_tuples:
            others: deque[Any] = deque()
            articles = self._articles(items.pairs(given, others), batch_size, n_process)
            return ((article, others.popleft()) for article in shown.counted(articles, "articles", length))
        articles = self._articles(items.articles(given), batch_size, n_process)
        what = "texts" if length is None else quantity(length, "text")
        return Articles(shown.counted(articles, "articles", length), what, length)

    def explain(self, given: str | BioCDocument) -> list[ExplainedSpan]:
        """Which texts become mentions, which do not, and why. Documents are not changed.

        Returns:
            One row for each distinct text that the tagger or the decision considered; mentions come first.

        Raises:
            TypeError: `given` is neither a text nor a document.
            OptionError: The pipeline has no step `tag`, or `decision="rules"`.
        """
        document = one_article(given, None, None, None)
        if document is None:
            raise TypeError(wanted(given))
        if self._stages is None:
            raise ConfigurationError(CLOSED)
        if self._explain is None:
            raise OptionError("steps", "has no tag, so there is nothing to explain; add tag")
        return self._explain(document)

    def _articles(self, documents: Iterator[BioCDocument], size: int, processes: int) -> Iterator[Article]:
        if processes == 1:
            annotated = annotate_here(self._open, documents, size)
        else:
            # Functions run in this process: others cannot receive each of them.
            own = {name for name, _, _ in self._functions}
            named = list(self._open.named)
            first = len(named) - len(own)
            if any(one.name in own for one in named[:first]):
                raise OptionError("n_process", "must be 1 for a function between other steps; add it as the last step")
            annotated = annotate_in_processes(self._plan_for_others(""), documents, size, processes)
            annotated = annotate_here(Stages(tuple(named[first:])), annotated, 1) if own else annotated
        return (article_of(document, self._names) for document in annotated)


_UNPICKLED: dict[str, Pipeline] = {}
"""The last pipeline that was unpickled in this process, by its options: `Pool.map` sends it with each block."""


def _loaded(plan: Plan, functions: tuple[Function, ...] = ()) -> Pipeline:
    """The pipeline of a plan and functions that another process has pickled."""
    key = json.dumps(plan.as_json(), sort_keys=True)
    pipeline = _UNPICKLED.get(key)
    if pipeline is None or pipeline._stages is None or pipeline._functions != functions:
        pipeline = build_pipeline(plan)
        for function in functions:
            pipeline._insert(function)
        _UNPICKLED.clear()
        _UNPICKLED[key] = pipeline
    return pipeline


def _refuse_arguments(function: str, given: Mapping[str, object]) -> None:
    """Raise `TypeError` for arguments that a function does not have. It names what works."""
    for name in given:
        raise unknown_argument(function, name)


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
