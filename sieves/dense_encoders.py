"""What turns names into vectors: the embedded encoder, and any local model of the Hugging Face kind."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError
from sieves.dense_ngrams import bags

__all__ = ["EMBEDDED", "BagEncoder", "Encoder", "TransformerEncoder", "open_encoder"]

EMBEDDED = Path(__file__).with_name("dense.safetensors")
"""The weights that come with the package; the card beside them says what they were trained on."""


class Encoder(Protocol):
    """Turns names into rows of unit length, float32; the same row for a name whatever stands beside it."""

    @property
    def version(self) -> str:
        """The sha256 of the weights, in hex."""
        ...

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]: ...


class BagEncoder:
    """The mean of the vectors of a name's character n-grams, in numpy."""

    def __init__(self, weights: NDArray[np.float32], version: str) -> None:
        self._weights = weights
        self.version = version

    @classmethod
    def open(cls, path: Path = EMBEDDED) -> BagEncoder:
        """Read weights. Raises `ResourceError` where they are missing or broken."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            content = path.read_bytes()
            weights = load(content)["ngrams"]
        except (OSError, SafetensorError, KeyError) as error:
            raise ResourceError(
                f"no dense encoder at {path} ({error}); train one with `nlmchem train dense`"
            ) from error
        return cls(weights.astype(np.float32), hashlib.sha256(content).hexdigest())

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        if not names:
            return np.zeros((0, self._weights.shape[1]), dtype=np.float32)
        grams, starts = bags(names, len(self._weights))
        sums = np.add.reduceat(self._weights[grams], starts, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(lengths, 1e-9), dtype=np.float32)


class TransformerEncoder:
    """A local model such as SapBERT: the vector of the first token, in float32."""

    def __init__(self, folder: Path, batch: int = 64) -> None:
        """Raises `ResourceError` where the folder holds no model."""
        from transformers import AutoModel, AutoTokenizer

        try:
            self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
            self._model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True).eval()
        except (OSError, ValueError) as error:
            raise ResourceError(f"no model at {folder} ({error}); name a folder with config and safetensors") from error
        self.version = _folder_version(folder)
        self._batch = batch

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        import torch

        rows: list[Any] = []
        with torch.inference_mode():
            for start in range(0, len(names), self._batch):
                batch = self._tokenizer(
                    list(names[start : start + self._batch]), padding="max_length", truncation=True, max_length=32,
                    return_tensors="pt",
                )  # fmt: skip
                hidden = self._model(**batch).last_hidden_state[:, 0]
                rows.append(torch.nn.functional.normalize(hidden.float(), dim=1).numpy())
        return np.concatenate(rows) if rows else np.zeros((0, self._model.config.hidden_size), dtype=np.float32)


def open_encoder(name: str | None = None) -> Encoder:
    """The encoder of a name: None or `embedded` for ours, a .safetensors file of its kind, or a model's folder."""
    if name in (None, "embedded"):
        return BagEncoder.open()
    path = Path(str(name))
    return TransformerEncoder(path) if path.is_dir() else BagEncoder.open(path)


def _folder_version(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.safetensors")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def read_card(path: Path = EMBEDDED) -> dict[str, Any]:
    """What weights were trained on and how they scored."""
    return dict(json.loads(path.with_suffix(".json").read_text("utf-8")))
