"""What a machine may lack: optional packages, with the extra to install; a device for models."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

from corpora.errors import Argument, ConfigurationError, ResourceError

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
            raise ConfigurationError(purpose, f" needs the package {package}; install it: {install(extra)}")


def install(extra: str) -> str:
    """The command that adds an extra to this installation, which may be one of pipx or uv."""
    environment = Path(sys.prefix)
    if (environment / "pipx_metadata.json").exists():
        return f'pipx runpip nlmchem install "nlmchem[{extra}]"'
    if (environment / "uv-receipt.toml").exists():
        return f'uv tool install ".[{extra}]" by force, in the folder of its source'
    return f'pip install "nlmchem[{extra}]"'


def require_device(device: str) -> None:
    """Raise `ConfigurationError` for a device that is not supported, `ResourceError` for one that is missing.

    torch is imported only where a device other than cpu is named.
    """
    if device == "cpu":
        return  # Nothing to check, and int8 arithmetic needs no torch.
    require("torch", extra="models", purpose=Argument("device", device))
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise ConfigurationError(f"there is no device {device!r}; use cpu, cuda or cuda:1") from error
    if kind not in ("cpu", "cuda"):
        raise ConfigurationError(f"the device {device!r} is not supported; use cpu or cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ResourceError("no CUDA device found; use ", Argument("device", "cpu"))
