"""What a step is: one object with its options, their check, the versions of its models, and its stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from corpora.reporting import Report, log

if TYPE_CHECKING:
    from bioc import BioCDocument

    from sieves.lexicon.lexicon import Lexicon

__all__ = ["Chosen", "Context", "NoOptions", "Stage", "Step", "absolute_path"]

O = TypeVar("O")  # noqa: E741 (the options of a step)


class Stage(Protocol):
    """Adds annotations to the articles of a chunk, in place. It keeps no state between chunks."""

    def __call__(self, documents: Sequence[BioCDocument]) -> None: ...


@dataclass(frozen=True)
class NoOptions:
    """The options of a step that has none."""


class Chosen:
    """A step of a run with its options. `options` are checked in a `Plan`, and as given while they are checked."""

    def __init__(self, step: Step[Any], options: Any) -> None:
        self.step = step
        self.options = options


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
            the options and all steps of the run, and raises `OptionError`.
        resources: Names and hashes of the models. They are part of the fingerprint of a run.
        prepare: What is made once before the workers start.
        default: Whether the step runs if no steps are selected.
        adds_mentions: Whether the step adds mentions of chemicals.
        adds_terms: Whether the step adds index terms.
        after: For a plugin: the name of the step after which it runs. None: after all others.
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
    after: str | None = None


class Context:
    """What the steps of a run share: the lexicon, which is opened once, and where messages go."""

    def __init__(self, steps: Sequence[Chosen], report: Report = log) -> None:
        self.report = report
        self._values: dict[str, Any] = {}
        for chosen in steps:
            self._values |= asdict(chosen.options)

    @cached_property
    def lexicon(self) -> Lexicon:
        """The lexicon of the run. Raises `ResourceError` if it cannot be opened."""
        from sieves.lexicon.lexicon import Lexicon

        return Lexicon.open(self._values.get("lexicon"), self._values.get("as_of"))

    def close(self) -> None:
        """Close the lexicon, if a step has opened it."""
        with suppress(KeyError):
            self.__dict__.pop("lexicon").close()


def absolute_path(name: str | None) -> str | None:
    """An absolute path, so that replays and workers in other folders find it; names of built-in models unchanged."""
    is_path = name is not None and (Path(name).suffix or "/" in name or Path(name).is_dir())
    return str(Path(str(name)).absolute()) if is_path else name
