"""What a step is: one object with its options, their check, the versions of its models, and its stage.

`open_stages` opens the stages of the steps of a run: they run one after another over a chunk of articles.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from corpora import plugins
from corpora.model import Stage
from corpora.reporting import Report, log
from sieves.lexicon.options import LexiconOptions, NamesOptions, YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from sieves.lexicon.lexicon import Lexicon

__all__ = ["Chosen", "Context", "NoOptions", "Stage", "Step", "absolute_path", "options_in"]

PANELS = COMMON, MODELS, RESOURCES, RUNS = "Common options", "Models and sieves", "Resources", "Runs"
"""The headings of options in the help of `nlmchem annotate`."""

O = TypeVar("O")  # noqa: E741 (the options of a step)
T = TypeVar("T")


@dataclass(frozen=True)
class NoOptions:
    """The options of a step that has none."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A step of a run with its options. `options` are checked in a `Plan`, and as given while they are checked."""

    step: Step[Any]
    options: Any


def options_in(steps: Iterable[Chosen], kind: type[T]) -> list[T]:
    """The options of this class, of the steps that have them: how a step reads what it needs of others."""
    return [chosen.options for chosen in steps if isinstance(chosen.options, kind)]


@dataclass(frozen=True)
class Step(Generic[O]):
    """One step of a run."""

    name: str
    """The name in the option `steps`, in manifests and in the reasons of failures."""
    options: type[O]
    """A frozen dataclass of `option` fields (`corpora.commands.options`). Steps share an option by inheriting it from
    one class (`nlmchem.steps.shared`)."""
    stage: Callable[[O, Context], Stage]
    """The pipeline stage for checked options. It imports what it needs inside the function, so that `nlmchem --help`
    loads no model."""
    check: Callable[[O, Sequence[Chosen]], O] = lambda options, steps: options
    """The options with defaults filled in and paths made absolute; checked options pass unchanged. It receives the
    options and all steps of the run, and raises `OptionError`. `options_in` finds the options of other steps by their
    class."""
    resources: Callable[[O, Context], Mapping[str, str]] = lambda options, context: {}
    """Names and hashes of the models. They are part of the fingerprint of a run."""
    prepare: Callable[[O, Context], object] = lambda options, context: None
    """What is made once before the workers start."""
    default: bool = False
    """Whether the step runs if no steps are selected."""
    adds_mentions: bool = False
    """Whether the step adds mentions of chemicals."""
    adds_terms: bool = False
    """Whether the step adds index terms."""
    on_device: Callable[[O], bool] = lambda options: False
    """Whether the step runs a model on the device with these options, checked or as given."""
    after: str | None = None
    """For a companion or a plugin: the name of the step after which it runs. None: after all others."""
    count: Callable[[BioCDocument], Mapping[str, int]] | None = None
    """What the step counts in a finished article, such as `{"doses": 4}`. The ledger stores the numbers; their sums are
    in the manifest, in the result as JSON and, where they are not 0, in the closing sentence: `12 doses`."""


class Context:
    """What a step works with: its lexicon, and where messages go. The steps of a run share the lexicons that are open.

    `of` makes the context of one step. That of a whole run has the lexicon of the first step that has one.
    """

    def __init__(self, steps: Sequence[Chosen], report: Report = log) -> None:
        self.report = report
        self._steps = tuple(steps)
        self._options: Any = None
        self._open: dict[LexiconRead, Lexicon] = {}

    def of(self, chosen: Chosen) -> Context:
        """The context of one of the steps."""
        context = copy(self)
        context._options = chosen.options
        return context

    @property
    def lexicon(self) -> Lexicon:
        """The lexicon of the step. Raises `ResourceError` if it cannot be opened."""
        from sieves.lexicon.lexicon import Lexicon

        read = lexicon_read_by(self._options, (chosen.options for chosen in self._steps))
        if read not in self._open:
            lexicon, as_of, names = read
            self._open[read] = Lexicon.open(lexicon, as_of, names=names)
        return self._open[read]

    def close(self) -> None:
        """Close the lexicons that steps have opened."""
        while self._open:
            self._open.popitem()[1].close()


LexiconRead = tuple[str | None, int | None, tuple[str, ...]]
"""The file (None: the lexicon that comes with nlmchem), the year (None: its own), and the names of the user."""


def lexicon_read_by(options: object, of_run: Iterable[object]) -> LexiconRead:
    """The lexicon that a step reads.

    A step without these options reads the lexicon of the first step that has them, and a step without a year reads
    the year of the first step with the same file.
    """
    with_lexicon = [of_step for of_step in of_run if isinstance(of_step, LexiconOptions)]
    lexicon_options = options if isinstance(options, LexiconOptions) else next(iter(with_lexicon), LexiconOptions())
    names = lexicon_options.names if isinstance(lexicon_options, NamesOptions) else ()
    if isinstance(options, YearOptions):
        return options.lexicon, options.as_of, names
    years = (
        of_step.as_of
        for of_step in with_lexicon
        if isinstance(of_step, YearOptions) and of_step.lexicon == lexicon_options.lexicon
    )
    return lexicon_options.lexicon, next(years, None), names


def absolute_path(name: str | None) -> str | None:
    """An absolute path, so that replays and workers in other folders find it; names of built-in models unchanged."""
    is_path = name is not None and (Path(name).suffix or "/" in name or Path(name).is_dir())
    return str(Path(str(name)).absolute()) if is_path else name


# -- open stages --------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Stages:
    """Open stages, in the order in which they run. `context`: what they share; `close` closes it."""

    named: tuple[NamedStage, ...]
    context: Context | None = None

    def annotate(self, chunk: Sequence[BioCDocument]) -> dict[str, float]:
        """Annotate one chunk in place. Returns the seconds that each stage took.

        Raises `StageError` if a stage raises an error. The chunk cannot be used then. Also an error such as
        `SystemExit`, of a package that calls `sys.exit`, is one of the stage; only Ctrl-C is not.
        """
        seconds: dict[str, float] = {}
        for named in self.named:
            begun = time.perf_counter()
            try:
                named.stage(chunk)
            except KeyboardInterrupt:
                raise
            except BaseException as error:
                raise StageError(named.name) from error
            seconds[named.name] = time.perf_counter() - begun
        return seconds

    def close(self) -> None:
        """Close the lexicon. The stages cannot be used then."""
        if self.context is not None:
            self.context.close()


def open_stages(steps: Sequence[Chosen], report: Report = log) -> Stages:
    """The stages of the steps of a run. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    context = Context(steps, report)
    try:
        with plugins.named():
            named = tuple(NamedStage(one.step.name, one.step.stage(one.options, context)) for one in steps)
    except BaseException:
        context.close()
        raise
    return Stages(named, context)
