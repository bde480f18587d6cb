"""A trial of a loaded model: damage that its files do not show is found before any article is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from corpora.errors import ResourceError
from nlmchem.tagging.tokenization.windows import MULTIPLE

if TYPE_CHECKING:
    from nlmchem.tagging.models.loading import Model

__all__ = ["require_usable"]

_TEXT = "NaCl (2 mg)"


def require_usable(model: Model) -> None:
    """Score a short window with the special pieces, a few common pieces and the last piece of the vocabulary.

    Raises `ResourceError` if a piece has no embedding, if a label has no score, or if a score is not a number. Errors
    of the libraries (sizes of weights that do not match) are raised as they are.
    """
    import torch

    cutter = model.cutter
    last = max(cutter.tokenizer.get_vocab(with_added_tokens=False).values(), default=0)
    common = cutter([_TEXT])[0].ids[: MULTIPLE - 4].tolist()
    pieces = [cutter.first, *common, last, cutter.separator]
    ids = np.full((1, MULTIPLE), cutter.padding, dtype=np.int64)
    ids[0, : len(pieces)] = pieces
    mask = (np.arange(MULTIPLE) < len(pieces)).astype(np.int64)[None, :]
    if ids.min() < 0:
        raise ResourceError(f"its tokenizer has a piece with the number {ids.min()}; get the model again")
    with torch.inference_mode():
        scores = model.network(torch.from_numpy(ids).to(model.device), torch.from_numpy(mask).to(model.device))
    found = scores.float().cpu().numpy()[0, : len(pieces)]
    if found.shape[1:] != (len(model.labels.roles),):
        raise ResourceError(
            f"it gives {found.shape[1]} scores for {len(model.labels.roles)} labels; get the model again"
        )
    if not np.isfinite(found).all():
        raise ResourceError("it gives scores that are no numbers; get the model again")
