"""Optional packages: one check, and one sentence that names the extra to install."""

from __future__ import annotations

from importlib.util import find_spec

from corpora.errors import Argument, ConfigurationError

DISTRIBUTIONS = {"sklearn": "scikit-learn", "cassis": "dkpro-cassis"}
"""Module name -> package name, where the two differ."""


def installed(module: str) -> bool:
    """Whether a top-level module can be imported. The module is not imported."""
    return find_spec(module) is not None


def require(module: str, *, extra: str, purpose: str | Argument) -> None:
    """Check that an optional package is installed, before any work that needs it. The package is not imported.

    `module`: top-level name, as in `import`. `extra`: name of the extra in pyproject.toml. `purpose`: what needs
    the package, as the subject of a sentence. Raises `ConfigurationError` if the package is missing.
    """
    if not installed(module):
        package = DISTRIBUTIONS.get(module, module)
        raise ConfigurationError(purpose, f' needs the package {package}; install it: pip install "nlmchem[{extra}]"')
