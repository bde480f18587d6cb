"""What torch computes for arrays of numpy, on a CPU or a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor


def computed(device: str, function: Callable[..., Tensor], *given: NDArray[Any]) -> NDArray[np.float32]:
    """What a function of tensors returns for arrays. It computes on `device`, on a GPU in half precision.

    Raises `MemoryError` if there is not enough memory.
    """
    import torch

    kind = torch.device(device).type
    half = torch.bfloat16 if kind == "cpu" or torch.cuda.is_bf16_supported() else torch.float16
    try:
        with torch.inference_mode(), torch.autocast(kind, dtype=half, enabled=kind == "cuda"):
            result: NDArray[np.float32] = (
                function(*(torch.from_numpy(array).to(device) for array in given)).float().cpu().numpy()
            )
            return result
    except RuntimeError as error:
        if not out_of_memory(error):
            raise
        reason = str(error)
    # Outside of the handler: the error keeps the tensors of the batch in memory.
    if kind == "cuda":
        torch.cuda.empty_cache()
    raise MemoryError(reason)


def out_of_memory(error: BaseException) -> bool:
    """Whether an error of torch or Python is a lack of memory."""
    import torch

    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or "can't allocate memory" in str(error)
