"""What a step is: one object with its options, their check, the versions of its models, and its stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from corpora.model.stage import Stage
from corpora.reporting import Report, log
from nlmchem.run.lexicon import LexiconRead, lexicon_read_by

if TYPE_CHECKING:
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
    """One step of a run.

    Args:
        name: The name in the option `steps`, in manifests and in the reasons of failures.
        options: A frozen dataclass of `option` fields (`corpora.commands.options`). Steps share an option by inheriting
            it from one class (`nlmchem.steps.shared`).
        stage: The pipeline stage for checked options. It imports what it needs inside the function, so that
            `nlmchem --help` loads no model.
        check: The options with defaults filled in and paths made absolute; checked options pass unchanged. It receives
            the options and all steps of the run, and raises `OptionError`. `options_in` finds the options of other
            steps by their class.
        resources: Names and hashes of the models. They are part of the fingerprint of a run.
        prepare: What is made once before the workers start.
        default: Whether the step runs if no steps are selected.
        adds_mentions: Whether the step adds mentions of chemicals.
        adds_terms: Whether the step adds index terms.
        on_device: Whether the step runs a model on the device with these options, checked or as given.
        after: For a companion or a plugin: the name of the step after which it runs. None: after all others.
    """

    name: str
    options: type[O]
    stage: Callable[[O, Context], Stage]
    check: Callable[[O, Sequence[Chosen]], O] = lambda options, steps: options
    resources: Callable[[O, Context], Mapping[str, str]] = lambda options, context: {}
    prepare: Callable[[O, Context], None] = lambda options, context: None
    default: bool = False
    adds_mentions: bool = False
    adds_terms: bool = False
    on_device: Callable[[O], bool] = lambda options: False
    after: str | None = None


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


def absolute_path(name: str | None) -> str | None:
    """An absolute path, so that replays and workers in other folders find it; names of built-in models unchanged."""
    is_path = name is not None and (Path(name).suffix or "/" in name or Path(name).is_dir())
    return str(Path(str(name)).absolute()) if is_path else name
