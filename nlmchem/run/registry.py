"""The list of all steps, in the order in which they run.

Companions and installed packages add to it by the entry point `nlmchem.steps` (examples/plugin).
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from corpora.errors import ConfigurationError
from corpora.plugins import Registry
from nlmchem.run.collisions import fault_of
from nlmchem.run.step import Step

_ROOM = "nlmchem.steps"
"""The room of our own steps: one module a step, with its constant `STEP`. It is also the group of entry points."""
_BUILT_IN: tuple[Step[Any], ...] = tuple(
    import_module(f"{_ROOM}.{name}").STEP for name in ("abbreviate", "tag", "repair", "normalize", "index")
)
_FAULTS: list[ConfigurationError] = []


def _ordered() -> dict[str, Step[Any]]:
    """The steps by name. A plugin that cannot be used is reported when a run is planned, not on import."""
    registry = Registry[Step[Any]](_ROOM, Step, {step.name: step for step in _BUILT_IN})
    steps = list(_BUILT_IN)
    added = _usable(registry)
    # A step can run after a step that another package adds.
    while ready := [step for step in added if step.after is None or step.after in {other.name for other in steps}]:
        for step in ready:
            _insert(step, steps)
        added = [step for step in added if step not in ready]
    _FAULTS.extend(registry.unusable(step.name, f"it runs after {step.after!r}, which is no step") for step in added)
    return {step.name: step for step in steps}


def _usable(registry: Registry[Step[Any]]) -> list[Step[Any]]:
    """The steps of plugins. Those that cannot be used are left out, and their faults are noted."""
    usable: list[Step[Any]] = []
    for name in registry.names():
        try:
            step = registry.named(name, "step")
        except ConfigurationError as error:
            _FAULTS.append(error)
            continue
        if step in _BUILT_IN:
            continue
        fault = fault_of(step, (*_BUILT_IN, *usable))
        if fault is None:
            usable.append(step)
        else:
            _FAULTS.append(registry.unusable(name, fault))
    return usable


def _insert(step: Step[Any], steps: list[Step[Any]]) -> None:
    before = [number for number, other in enumerate(steps) if other.name == step.after]
    steps.insert(before[0] + 1 if before else len(steps), step)


STEPS: dict[str, Step[Any]] = _ordered()
"""Steps by name, in the order in which they run."""


def require_usable_plugins() -> None:
    """Raise `ConfigurationError` if an installed package has a step that cannot be used."""
    for fault in _FAULTS:
        raise fault
