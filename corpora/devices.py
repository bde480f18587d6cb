"""Whether a device for models is there. Imports torch only where a device other than cpu is named."""

from __future__ import annotations

from corpora.errors import Argument, ConfigurationError, ResourceError
from corpora.extras import require


def require_device(device: str) -> None:
    """Raise `ConfigurationError` for a device that is not supported, `ResourceError` for one that is missing."""
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
