"""From options to a plan: a `Configuration` holds options as they are given, a `Plan` those that were checked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, make_dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, TypeVar

from corpora import plugins
from corpora.commands.options import Option, check, option, options_of
from corpora.commands.values import from_python
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.formats import registry as formats
from corpora.formats.registry import aliases_of, canonical, mention_names, parted, writable
from corpora.reporting import Report, log
from nlmchem.run.files import FileOptions
from nlmchem.run.fingerprint import compared_options, sealed
from nlmchem.run.registry import STEPS, require_usable_plugins
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
    lines: bool
    steps: tuple[tuple[str, Any], ...]
    """The name and the checked options of each step, in the order in which the steps run."""
    with_abbreviations: bool = False
    """Whether formats that leave short forms out write them."""
    offsets: str | None = None
    """The unit that offsets of the input count, where it is not code points."""
    identifiers: str | None = None
    """The spelling of MeSH identifiers in the output (`corpora.model.spelling`); None: not changed."""
    text_column: str | None = None
    id_column: str | None = None
    """The columns of tables of texts that the user names."""
    per_file: int | None = None
    """The number of articles in each numbered part; None: one output for each input."""

    @classmethod
    def of_conversion(cls, format: str, files: FileOptions = FileOptions()) -> Plan:  # noqa: B008 (it is frozen)
        """A plan without steps, for any format that is written. Raises as `require_writer` does."""
        plan = cls(
            canonical(format), files.lines, (), files.with_abbreviations, files.offsets, files.identifiers,
            files.text_column, files.id_column, files.per_file,
        )  # fmt: skip
        plan.require_writer()
        return plan

    @property
    def chosen(self) -> list[Chosen]:
        """The steps with their options."""
        return [Chosen(STEPS[name], options) for name, options in self.steps]

    def writer(self) -> Writer:
        """The writer of the output. Raises `ConfigurationError` as `corpora.formats.registry.writable` does."""
        xrefs = any(getattr(options, "xrefs", False) for _, options in self.steps)
        return writable(self.format, self.with_abbreviations, self.identifiers, xrefs)

    def parted(self) -> Parted | None:
        """The writer of numbered parts, if the run writes them. Raises as `corpora.formats.registry.parted` does."""
        return None if self.per_file is None else parted(self.format)

    def dumps(self) -> Dumps:
        """How an article is serialised. Raises as `require_writer` does."""
        parted = self.parted()
        return self.writer().dumps if parted is None or not self._has_tables(parted) else parted.dumps

    def _has_tables(self, parted: Parted) -> bool:
        return parted.tables != ("",)

    def require_writer(self) -> None:
        """Raise `ConfigurationError` or `OptionError` where the output cannot be written."""
        parted = self.parted()
        given: dict[str, object] = {"with_abbreviations": self.with_abbreviations, "identifiers": self.identifiers}
        given["xrefs"] = any(getattr(options, "xrefs", False) for _, options in self.steps)
        for name, value in given.items():
            if value and parted is not None and self._has_tables(parted):
                raise OptionError(
                    name, "cannot be used with tables in ", Argument("per_file"), "; leave one of them out"
                )
        self.dumps()

    def options(self, kind: type[T]) -> T | None:
        """The options of the first step that has options of this class; None if no step has them."""
        return next(iter(options_in(self.chosen, kind)), None)

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
        """The values that must be equal for two runs to share an output folder, nested by step.

        A lexicon or a model is compared by its content, not by its path. Raises `ResourceError`.
        """
        resources = self.resources()
        return sealed(
            {
                "format": self.format,
                "lines": self.lines,
                "with_abbreviations": self.with_abbreviations,
                "offsets": self.offsets,
                "identifiers": self.identifiers,
                "text_column": self.text_column,
                "id_column": self.id_column,
                "per_file": self.per_file,
                "steps": {
                    name: {"options": compared_options(options), "resources": resources[name]}
                    for name, options in self.steps
                },
                "version": version("nlmchem"),
                "plugins": plugins.versions(),
            }
        )

    def as_json(self) -> dict[str, Any]:
        """The plan as JSON values; `from_json` is the reverse."""
        return {
            "format": self.format,
            "lines": self.lines,
            "with_abbreviations": self.with_abbreviations,
            "offsets": self.offsets,
            "identifiers": self.identifiers,
            "text_column": self.text_column,
            "id_column": self.id_column,
            "per_file": self.per_file,
            "steps": {name: asdict(options) for name, options in self.steps},
        }

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
            kind = STEPS[name].options
            steps.append(
                Chosen(STEPS[name], kind(**{declared.name: _of(declared, given) for declared in options_of(kind)}))
            )
        return cls(
            values.get("format", DEFAULT_FORMAT),
            values.get("lines", False),
            _checked(steps),
            values.get("with_abbreviations", False),
            values.get("offsets"),
            values.get("identifiers"),
            values.get("text_column"),
            values.get("id_column"),
            values.get("per_file"),
        )


def _of(option: Option, given: Mapping[str, Any]) -> Any:
    return from_python(option, given[option.name]) if option.name in given else option.default


def _checked(steps: Sequence[Chosen]) -> tuple[tuple[str, Any], ...]:
    return tuple((chosen.step.name, chosen.step.check(chosen.options, steps)) for chosen in steps)


@dataclass(frozen=True)
class _ConfigurationBase(FileOptions):
    """The options of a run that decide about its output, as they are given.

    The fields are `steps`, `format`, those of `FileOptions` and the options of all steps: the arguments of
    `nlmchem.load` (apart from those of files), the flags of `nlmchem annotate` and the keys of its configuration file.
    """

    steps: tuple[str, ...] = option(
        DEFAULT_STEPS, "Steps to run, joined by commas.", choices=tuple(STEPS), metavar="STEP,...", panel=COMMON
    )
    format: str | None = option(
        None,
        f"Output format: {', '.join(FORMATS)}; or {', '.join(aliases_of(FORMATS))}.",
        choices=(*FORMATS, *aliases_of(FORMATS)),
        metavar="NAME",
        default_text="by the suffix of the output, else biocxml",
        panel=COMMON,
    )

    @classmethod
    def of(cls, **values: Any) -> Configuration:
        """A configuration from Python values: paths may be `Path` objects, and lists may be lists or `"a,b"`."""
        made: Any = cls
        read = {
            declared.name: from_python(declared, values[declared.name])
            for declared in options_of(cls)
            if declared.name in values
        }
        configuration: Configuration = made(**read)
        return configuration

    def but(self, **values: Any) -> Configuration:
        """The same configuration with other values."""
        changed: Any = dataclasses.replace(self, **values)
        configuration: Configuration = changed
        return configuration

    def parse(self) -> Plan:
        """Check everything and fill in the defaults.

        Raises `OptionError` for a wrong value, `ConfigurationError` for an unknown tagger or rule.
        """
        require_usable_plugins()
        formats.require_usable_plugins()
        check(self)
        steps = []
        for name, step in STEPS.items():
            if name in self.steps:
                values = {declared.name: getattr(self, declared.name) for declared in options_of(step.options)}
                steps.append(Chosen(step, step.options(**values)))
        checked = _checked(steps)
        self._refuse_unused()
        plan = Plan(
            canonical(self.format or DEFAULT_FORMAT), self.lines, checked, self.with_abbreviations, self.offsets,
            self.identifiers, self.text_column, self.id_column, self.per_file,
        )  # fmt: skip
        if self.with_abbreviations or self.per_file is not None:
            plan.require_writer()
        return plan

    def _refuse_unused(self) -> None:
        """Raise `OptionError` for an option with another value than the default that no step of the run has."""
        for declared in options_of(type(self)):
            wanted = steps_with(declared.name)
            value = getattr(self, declared.name)
            if wanted and value not in (declared.default, *declared.harmless) and not set(wanted) & set(self.steps):
                names = " or ".join(wanted)
                raise OptionError(
                    declared.name, f"needs the step {names}; add it to the steps, or leave the option out"
                )


def steps_with(name: str) -> tuple[str, ...]:
    """The names of the steps that have an option."""
    return tuple(
        step.name for step in STEPS.values() if any(field.name == name for field in dataclasses.fields(step.options))
    )


def _step_fields() -> list[tuple[str, Any, Any]]:
    """The options of all steps, once each; those of the default steps first."""
    fields: dict[str, tuple[str, Any, Any]] = {}
    for step in sorted(STEPS.values(), key=lambda step: not step.default):
        for declared, field in zip(options_of(step.options), dataclasses.fields(step.options), strict=True):
            copy = dataclasses.field(default=field.default, metadata=field.metadata)
            fields.setdefault(declared.name, (declared.name, declared.type, copy))
    return list(fields.values())


if TYPE_CHECKING:

    class Configuration(_ConfigurationBase):
        """Type checkers see no options of steps: packages can add steps."""

        def __init__(self, **options: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
else:
    Configuration = make_dataclass(
        "Configuration",
        _step_fields(),
        bases=(_ConfigurationBase,),
        frozen=True,
        namespace={"__doc__": _ConfigurationBase.__doc__, "__module__": __name__},
    )
