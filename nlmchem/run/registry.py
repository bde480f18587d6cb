"""The list of all steps, in the order in which they run, and their options.

Companions and installed packages add to it by the entry point `nlmchem.steps` (examples/plugin).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from corpora.commands.options import Option, from_text, options_of
from corpora.errors import ConfigurationError, OptionError
from corpora.plugins import Registry
from nlmchem.run.step import Step

_ROOM = "nlmchem.steps"
"""The room of our own steps: one module a step, with its constant `STEP`. It is also the group of entry points."""
_BUILT_IN: tuple[Step[Any], ...] = tuple(
    import_module(f"{_ROOM}.{name}").STEP for name in ("abbreviate", "tag", "repair", "normalize", "index")
)
_FAULTS: list[ConfigurationError] = []


# -- which options a step may have --------------------------------------------------------------

OF_CONFIGURATION = (
    "steps", "format", "lines", "with_abbreviations", "offsets", "identifiers", "text_column", "id_column", "per_file",
)  # fmt: skip
"""The options of a run without its steps."""
OF_FINGERPRINT = ("version", "plugins", "resources", "options", "sha256")
OF_COMMAND = (
    "inputs", "out", "text", "runs", "config", "as_json", "json", "help", "debug", "workers", "timeout", "max_failures",
    "shard", "dask", "include", "exclude", "quiet", "restart", "retry_failed", "overwrite", "set",
    "all_versions", "licence", "exclude_retracted", "files_from", "prune", "prune_empty",
)  # fmt: skip
"""The options of `nlmchem annotate` that no step has."""
OF_COMPONENT = ("nlp", "name", "spans_key", "set_ents")
"""The parameters of the spaCy component."""
RESERVED = frozenset((*OF_CONFIGURATION, *OF_FINGERPRINT, *OF_COMMAND, *OF_COMPONENT))
"""Names that no option of a step can have."""
_TYPES = {bool, int, float, str, tuple}
"""Types of values that a plan stores as JSON."""


def fault_of(step: Step[Any], others: Iterable[Step[Any]]) -> str | None:
    """Why a step cannot be used together with others, as part of a sentence; None if it can be."""
    try:
        options = options_of(step.options)
    except (AttributeError, KeyError, NameError, TypeError):
        return "its options are not a dataclass of option fields"
    stated: dict[str, tuple[Option, str]] = {}
    for other in others:
        for of_other in options_of(other.options):
            stated.setdefault(of_other.name, (of_other, f"the step {other.name}"))
    taken = {flag: owner for known, owner in stated.values() for flag in known.all_flags}
    taken |= {"--" + name.replace("_", "-"): "a run" for name in RESERVED} | {"-o": "a run", "-q": "a run"}
    for option in options:
        what = f"its option {option.name!r}"
        if option.name in RESERVED or option.name.startswith("_"):
            return f"{what} has a name that every run has"
        if option.groups or option.positional or option.required:
            return f"{what} is an argument, part of a group, or without a default"
        if not _TYPES.issuperset(option.types):
            return f"{what} is neither text, a number, true or false, nor a list of these"
        if option.name in stated:
            known, owner = stated[option.name]
            if option != known:
                return f"{what} has another type, default or help text than that of {owner}"
        elif (flag := next(filter(taken.__contains__, option.all_flags), None)) is not None:
            return f"{what} has the flag {flag} of {taken[flag]}"
    return None


# -- the steps ----------------------------------------------------------------------------------


def _ordered() -> dict[str, Step[Any]]:
    """The steps by name. A plugin that cannot be used is reported when a run is planned, not on import."""
    registry = Registry[Step[Any]](_ROOM, Step, {step.name: step for step in _BUILT_IN})
    steps, added = list(_BUILT_IN), list[Step[Any]]()
    for name in registry.names():
        try:
            step = registry.named(name, "step")
        except ConfigurationError as error:
            _FAULTS.append(error)
            continue
        if step in _BUILT_IN:
            continue
        fault = fault_of(step, (*_BUILT_IN, *added))
        if fault is None:
            added.append(step)
        else:
            _FAULTS.append(registry.unusable(name, fault))
    # A step can run after a step that another package adds.
    while ready := [step for step in added if step.after is None or step.after in {other.name for other in steps}]:
        for step in ready:
            before = [number for number, other in enumerate(steps) if other.name == step.after]
            steps.insert(before[0] + 1 if before else len(steps), step)
        added = [step for step in added if step not in ready]
    _FAULTS.extend(registry.unusable(step.name, f"it runs after {step.after!r}, which is no step") for step in added)
    return {step.name: step for step in steps}


STEPS: dict[str, Step[Any]] = _ordered()
"""Steps by name, in the order in which they run."""


def require_usable_plugins() -> None:
    """Raise `ConfigurationError` if an installed package has a step that cannot be used."""
    for fault in _FAULTS:
        raise fault


# -- their options ------------------------------------------------------------------------------


def _option_fields() -> list[tuple[str, Any, Any]]:
    """The options of all steps, once each; those of the default steps first."""
    fields: dict[str, tuple[str, Any, Any]] = {}
    for step in sorted(STEPS.values(), key=lambda step: not step.default):
        for declared, field in zip(options_of(step.options), dataclasses.fields(step.options), strict=True):
            copy = dataclasses.field(default=field.default, metadata=field.metadata)
            fields.setdefault(declared.name, (declared.name, declared.type, copy))
    return list(fields.values())


StepOptions: Any = dataclasses.make_dataclass(
    "StepOptions", _option_fields(), frozen=True, namespace={"__module__": __name__}
)
"""The options of all steps as they are given, in one dataclass: packages can add steps."""


def steps_with(name: str) -> tuple[str, ...]:
    return tuple(
        step.name for step in STEPS.values() if any(field.name == name for field in dataclasses.fields(step.options))
    )


SET = "set"


def settings_of(texts: Iterable[str], steps: tuple[str, ...]) -> dict[str, object]:
    """The values of options given as `STEP.OPTION=VALUE` (`tag.min_score=0.9`), by option; later ones replace earlier.

    Steps that share an option have one value of it. Raises `OptionError` for another form, a step that is not one of
    `steps`, an option that the step does not have, and a text that is no value of it.
    """
    settings: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        step, dot, name = name.partition(".")
        if not (equals and dot and step and name):
            raise OptionError(SET, f"must be STEP.OPTION=VALUE, such as tag.min_score=0.9, not {text!r}")
        if step not in steps:
            raise OptionError(SET, f"names the step {step!r}; the steps of this run are {', '.join(steps)}")
        known = {option.name: option for option in options_of(STEPS[step].options)}
        option = known.get(name.replace("-", "_"))
        if option is None:
            raise OptionError(SET, f"names the option {name!r}; the step {step} has {', '.join(known) or 'none'}")
        settings[option.name] = from_text(option, value)
    return settings
