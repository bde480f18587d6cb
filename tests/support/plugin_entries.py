"""Entries of installed packages, without installing a package."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from types import ModuleType
from typing import Any

import pytest

from corpora import plugins
from corpora.plugins import Registry

__all__ = ["add_entries"]


def add_entries(monkeypatch: pytest.MonkeyPatch, room: ModuleType, registry: str, **entries: Any) -> None:
    """Add the entries of a package to a registry, which is the constant `registry` of the module `room`."""
    before: Registry[Any] = getattr(room, registry)
    package = ModuleType("stranger")
    for name, entry in entries.items():
        setattr(package, name, entry)
    added = [EntryPoint(name, f"stranger:{name}", before.group) for name in entries]
    installed = [point for point in plugins._points() if point.value.partition(":")[0] != "stranger"]
    monkeypatch.setitem(sys.modules, "stranger", package)
    monkeypatch.setattr(plugins, "_points", lambda: (*installed, *added))
    monkeypatch.setattr(room, registry, Registry(before.group, before.kinds, before.built_in, before.reserved))
