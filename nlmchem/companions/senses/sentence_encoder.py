"""An encoder of sentences: a local transformer such as all-MiniLM-L6-v2."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sieves.dense.encoders import folder_version, open_transformer

PIECES = 128
"""Word pieces of a text; the encoder does not read further ones."""


def longest(model: Any) -> int:
    """The most word pieces of a text that a model reads."""
    return min(PIECES, int(getattr(model.config, "max_position_embeddings", PIECES)))


class SentenceEncoder:
    """Turns texts into rows of unit length (float32): the mean of the vectors of their word pieces.

    This is what sentence-transformers computes for its models with mean pooling (Reimers and Gurevych 2019). Each text
    is encoded alone, so that its row depends on nothing else.
    """

    def __init__(self, folder: Path) -> None:
        """Raises `ResourceError` if the folder has no model."""
        self.version = folder_version(folder)
        """The sha256 of weights, configuration and tokenizer, in hex."""
        self._tokenizer, self._model = open_transformer(folder)
        self._longest = longest(self._model)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The rows of texts, (texts, width). A text without a word has the row of its special tokens."""
        import torch

        vectors = np.zeros((len(texts), int(self._model.config.hidden_size)), dtype=np.float32)
        with torch.inference_mode():
            for row, text in enumerate(texts):
                pieces = self._tokenizer(text, truncation=True, max_length=self._longest, return_tensors="pt")
                mean = self._model(**pieces).last_hidden_state[0].float().mean(dim=0)
                vectors[row] = torch.nn.functional.normalize(mean, dim=0).numpy()
        return vectors
