"""Optional packages: one check, and one sentence that names the extra to install."""

from __future__ import annotations

from importlib.util import find_spec

from corpora.errors import Argument, ConfigurationError

DISTRIBUTIONS = {"sklearn": "scikit-learn", "cassis": "dkpro-cassis"}
"""Module name -> package name, where the two differ."""


def installed(module: str) -> bool:
    """Whether a top-level module can be imported. The module is not imported."""
    return find_spec(module) is not None


def require(*modules: str, extra: str, purpose: str | Argument) -> None:
    """Check that optional packages are installed, before any work that needs them. They are not imported.

    `modules`: top-level names, as in `import`. `extra`: name of the extra in pyproject.toml. `purpose`: what needs
    the packages, as the subject of a sentence. Raises `ConfigurationError` if one is missing.
    """
    for module in modules:
        if not installed(module):
            package = DISTRIBUTIONS.get(module, module)
            raise ConfigurationError(
                purpose, f' needs the package {package}; install it: pip install "nlmchem[{extra}]"'
            )
