"""From options to a plan: a `Configuration` holds options as they are given, a `Plan` those that were checked.

The fingerprint of a plan has the values that decide about the output, and their hash.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Self, TypeVar

from corpora import plugins
from corpora.commands.command import Logged, Progress
from corpora.commands.options import check, filled, from_python, group, option, options_of, value_of
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.formats import registry as formats
from corpora.formats.registry import aliases_of, canonical, mention_names, parted, writable
from corpora.reporting import Report, log
from nlmchem.run.options import FileOptions, RunOptions
from nlmchem.run.registry import STEPS, StepOptions, require_usable_plugins, steps_with
from nlmchem.run.step import COMMON, Chosen, Context, options_in

if TYPE_CHECKING:
    from corpora.formats.format import Dumps, Parted, Writer

T = TypeVar("T")

DEFAULT_STEPS = tuple(name for name, step in STEPS.items() if step.default)
"""The steps that run if none are selected."""
FORMATS = mention_names()
"""Output formats: those that can store mentions."""
DEFAULT_FORMAT = "biocxml"


@dataclass(frozen=True)
class Plan:
    """A run, checked: what `nlmchem annotate` and `nlmchem.load` do.

    Equal plans give equal bytes, for any number of workers and any order of files. A plan can be pickled and stored as
    JSON: its paths are absolute.
    """

    format: str
    steps: tuple[tuple[str, Any], ...] = ()
    """The name and the checked options of each step, in the order in which the steps run."""
    files: FileOptions = FileOptions()  # noqa: RUF009 (it is frozen)

    @classmethod
    def of_conversion(cls, format: str, files: FileOptions = FileOptions()) -> Plan:  # noqa: B008 (it is frozen)
        """A plan without steps, for any format that is written. Raises as `require_writer` does."""
        plan = cls(canonical(format), files=files)
        plan.require_writer()
        return plan

    @property
    def chosen(self) -> list[Chosen]:
        """The steps with their options."""
        return [Chosen(STEPS[name], options) for name, options in self.steps]

    def options(self, kind: type[T]) -> T | None:
        """The options of the first step that has options of this class; None if no step has them."""
        return next(iter(options_in(self.chosen, kind)), None)

    # -- the output -----------------------------------------------------------------------------

    def writer(self) -> Writer:
        """The writer of the output. Raises `ConfigurationError` as `corpora.formats.registry.writable` does."""
        return writable(self.format, self.files.with_abbreviations, self.files.identifiers, self._has_xrefs)

    def parted(self) -> Parted | None:
        """The writer of numbered parts, if the run writes them. Raises as `corpora.formats.registry.parted` does."""
        return None if self.files.per_file is None else parted(self.format)

    def dumps(self) -> Dumps:
        """How an article is serialised. Raises as `require_writer` does."""
        parted = self.parted()
        return self.writer().dumps if parted is None or parted.tables == ("",) else parted.dumps

    def require_writer(self) -> None:
        """Raise `ConfigurationError` or `OptionError` where the output cannot be written."""
        parted = self.parted()
        if parted is not None and parted.tables != ("",):
            files = self.files
            of_rows = {"with_abbreviations": files.with_abbreviations, "identifiers": files.identifiers}
            for name, value in {**of_rows, "xrefs": self._has_xrefs}.items():
                if value:
                    what = "cannot be used with tables in "
                    raise OptionError(name, what, Argument("per_file"), "; leave one of them out")
        self.dumps()

    @property
    def _has_xrefs(self) -> bool:
        return any(getattr(options, "xrefs", False) for _, options in self.steps)

    # -- the resources --------------------------------------------------------------------------

    def prepare(self, report: Report = log) -> None:
        """Make what the workers share, such as the name vectors of the dense fallback. Raises `ResourceError`."""
        with closing(Context(self.chosen, report)) as context:
            for chosen in self.chosen:
                chosen.step.prepare(chosen.options, context.of(chosen))

    def resources(self) -> dict[str, dict[str, str]]:
        """Names and hashes of the lexicon and the models, by step. Raises `ResourceError`."""
        with closing(Context(self.chosen)) as context:
            return {
                chosen.step.name: dict(chosen.step.resources(chosen.options, context.of(chosen)))
                for chosen in self.chosen
            }

    def fingerprint(self) -> dict[str, Any]:
        """The values that must be equal for two runs to share an output folder, nested by step, and their hash.

        They are as JSON has them, to be compared with those that another run has written. A lexicon or a model is
        compared by its content, not by its path. Raises `ResourceError`.
        """
        resources = self.resources()
        values = {
            "format": self.format,
            **asdict(self.files),
            "steps": {
                name: {
                    # Files and models are compared by their content.
                    "options": {
                        one.name: getattr(options, one.name) for one in options_of(type(options)) if not one.by_content
                    },
                    "resources": resources[name],
                }
                for name, options in self.steps
            },
            "version": plugins.project_version(),
            "plugins": plugins.versions(),
        }
        text = json.dumps(values, sort_keys=True)
        return {**json.loads(text), SHA256: hashlib.sha256(text.encode()).hexdigest()}

    # -- as JSON --------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON values; `from_json` is the reverse."""
        steps = {name: asdict(options) for name, options in self.steps}
        return {"format": self.format, **asdict(self.files), "steps": steps}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Plan:
        """A plan from what `as_json` returned. It is checked again.

        Raises `OptionError`, and `ConfigurationError` for values of another form.
        """
        stored = values.get("steps")
        if not isinstance(stored, dict) or not all(isinstance(given, dict) for given in stored.values()):
            what = "the stored options of the run are damaged; annotate again with "
            raise ConfigurationError(what, Argument("restart", True))
        steps = []
        for name, given in stored.items():
            if name not in STEPS:
                raise OptionError("steps", f"contains {name!r}, which no installed package has; install it again")
            steps.append(Chosen(STEPS[name], _read(STEPS[name].options, given)))
        return cls(values.get("format", DEFAULT_FORMAT), _checked(steps), _read(FileOptions, values))


def _read(kind: type[T], values: Mapping[str, Any]) -> T:
    """Options from values by name, as Python or JSON has them. Other values are ignored, and defaults fill the rest."""
    given = {one.name: from_python(one, values[one.name]) for one in options_of(kind) if one.name in values}
    return filled(kind, given)


def _checked(steps: Sequence[Chosen]) -> tuple[tuple[str, Any], ...]:
    return tuple((chosen.step.name, chosen.step.check(chosen.options, steps)) for chosen in steps)


@dataclass(frozen=True)
class Configuration:
    """The options of a run that decide about its output, as they are given.

    They are the arguments of `nlmchem.load` (apart from those of files), the flags of `nlmchem annotate` and the keys
    of its configuration file.
    """

    files: FileOptions = group(FileOptions)
    steps: tuple[str, ...] = option(
        DEFAULT_STEPS, "Steps to run, joined by commas.", choices=tuple(STEPS), metavar="STEP,...", panel=COMMON
    )
    format: str | None = option(
        None,
        f"Output format: {', '.join(FORMATS)}; or {', '.join(aliases_of(FORMATS))}.",
        short="f",
        choices=(*FORMATS, *aliases_of(FORMATS)),
        metavar="NAME",
        default_text="by the suffix of the output, else biocxml",
        panel=COMMON,
    )
    of_steps: Any = group(StepOptions)
    """The options of all steps, each once: steps that share an option have one value of it."""

    @classmethod
    def of(cls, **values: Any) -> Self:
        """A configuration from Python values: paths may be `Path` objects, and lists may be lists or `"a,b"`."""
        return _read(cls, values)

    def but(self, **values: Any) -> Self:
        """The same configuration with other values of options, by name."""
        return filled(type(self), {**{one.name: value_of(self, one) for one in options_of(type(self))}, **values})

    def parse(self) -> Plan:
        """Check everything and fill in the defaults.

        Raises `OptionError` for a wrong value, `ConfigurationError` for an unknown tagger or rule.
        """
        require_usable_plugins()
        formats.require_usable_plugins()
        check(self)
        given = vars(self.of_steps)
        steps = [Chosen(step, filled(step.options, given)) for name, step in STEPS.items() if name in self.steps]
        checked = _checked(steps)
        for declared in options_of(StepOptions):
            # An option that no step of the run has is refused, not ignored.
            wanted = steps_with(declared.name)
            if given[declared.name] not in (declared.default, *declared.harmless) and not set(wanted) & {*self.steps}:
                names = " or ".join(wanted)
                raise OptionError(
                    declared.name, f"needs the step {names}; add it to the steps, or leave the option out"
                )
        plan = Plan(canonical(self.format or DEFAULT_FORMAT), checked, self.files)
        if self.files.with_abbreviations or self.files.per_file is not None:
            plan.require_writer()
        return plan


@dataclass(frozen=True, slots=True)
class Job:
    """What a command asks for: which articles, by which plan, and how the run works."""

    inputs: Sequence[str]
    """Files, folders, glob patterns, archives, or - for standard input."""
    plan: Plan
    options: RunOptions = RunOptions()  # noqa: RUF009 (it is frozen)
    progress: Progress = Logged()  # noqa: RUF009 (it has no state)
    """Where the run reports what it notices, and how far it is."""


# -- fingerprints -------------------------------------------------------------------------------

SHA256 = "sha256"
WHOLE = ("plugins",)
"""Values that are named as one where they differ."""
RESOURCES = "resources"
_LEXICON = "lexicon"
_LEXICON_OR_NAMES = "lexicon or names"
"""The names of the user are part of the version of a lexicon."""
_NUMBER = re.compile(r" \d+$")


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What two fingerprints differ in, sorted: values of the run, options of steps, models by their kind, `steps`."""
    return sorted(set(_differing(before, now)) - {SHA256})


def _differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    for name, value in now.items():
        other = before.get(name)
        if name == RESOURCES and isinstance(value, dict) and isinstance(other, dict):
            # The kinds of the models that differ: `tagger`, `decision`, `indexer` ...
            for model in {*other, *value}:
                if other.get(model) != value.get(model):
                    yield _LEXICON_OR_NAMES if model == _LEXICON else _NUMBER.sub("", model)
        elif name not in WHOLE and isinstance(value, dict) and isinstance(other, dict) and value.keys() == other.keys():
            yield from _differing(other, value)
        elif other != value:
            yield name


# -- versions -----------------------------------------------------------------------------------

PACKAGES = ("nlmchem", "bioc", "loky", "lxml", "numpy", "torch", "transformers", "scikit-learn")


@cache
def environment() -> dict[str, Any]:
    """Versions of Python and of the packages that the output depends on."""
    versions = {name: plugins.version_of(name) or "not installed" for name in PACKAGES}
    return {"python": sys.version.split()[0], "platform": platform.platform(), "packages": versions}
