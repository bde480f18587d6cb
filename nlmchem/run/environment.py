"""The versions that an output depends on, for manifests and `nlmchem doctor`."""

from __future__ import annotations

import platform
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("nlmchem", "bioc", "loky", "lxml", "numpy", "torch", "transformers", "scikit-learn")


@cache
def environment() -> dict[str, Any]:
    """Versions of Python and of the packages that the output depends on."""
    versions: dict[str, str] = {}
    for name in PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    return {"python": sys.version.split()[0], "platform": platform.platform(), "packages": versions}
