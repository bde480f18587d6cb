"""The list of all steps, in the order in which they run.

Companions and installed packages add to it by the entry point `nlmchem.steps` (examples/plugin).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from nlmchem.run.step import Step

_ROOM = "nlmchem.steps"
"""The room of our own steps: one module a step, with its constant `STEP`."""
_BUILT_IN: tuple[Step[Any], ...] = tuple(
    import_module(f"{_ROOM}.{name}").STEP for name in ("abbreviate", "tag", "repair", "normalize", "index")
)
_FAULTS: list[ConfigurationError] = []


def _ordered() -> dict[str, Step[Any]]:
    """The steps by name. A plugin that cannot be used is reported when a run is planned, not on import."""
    steps = list(_BUILT_IN)
    registry = Registry[Step[Any]]("nlmchem.steps", Step, {step.name: step for step in _BUILT_IN})
    for name in registry.names():
        try:
            step = registry.get(name)
        except ConfigurationError as error:
            _FAULTS.append(error)
            continue
        if step is not None and step not in steps:
            before = [number for number, other in enumerate(steps) if other.name == step.after]
            steps.insert(before[0] + 1 if before else len(steps), step)
    return {step.name: step for step in steps}


STEPS: dict[str, Step[Any]] = _ordered()
"""Steps by name, in the order in which they run."""


def require_usable_plugins() -> None:
    """Raise `ConfigurationError` if an installed package has a step that cannot be used."""
    for fault in _FAULTS:
        raise fault
