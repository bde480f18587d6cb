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
from corpora.extras import require
from sieves.dense.ngrams import bags

__all__ = [
    "DEFAULT",
    "EMBEDDED",
    "BagEncoder",
    "Encoder",
    "TransformerEncoder",
    "encoder_version",
    "open_encoder",
    "open_transformer",
    "read_card",
]

DEFAULT = "default"
"""The name of the embedded encoder."""
EMBEDDED = Path(__file__).with_name("dense.safetensors")
"""The weights that come with the package; the card beside them says what they were trained on."""
CARD = "card.json"
"""In a folder that `nlmchem train dense` has made: what the model was trained on and how it scored."""
PART = 64
"""Names whose n-grams are added up at a time: what is added stays in the processor's cache."""
PIECES = 32
"""Word pieces of a name that a transformer reads."""


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
            raise _missing(path, error) from error
        return cls(weights.astype(np.float32), hashlib.sha256(content).hexdigest())

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        parts = [self._encoded(names[start : start + PART]) for start in range(0, len(names), PART)]
        return np.concatenate(parts) if parts else np.zeros((0, self._weights.shape[1]), dtype=np.float32)

    def _encoded(self, names: Sequence[str]) -> NDArray[np.float32]:
        grams, starts = bags(names, len(self._weights))
        sums = np.add.reduceat(self._weights[grams], starts, axis=0)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.maximum(lengths, 1e-9), dtype=np.float32)


class TransformerEncoder:
    """A local model such as SapBERT: the vector of the first token, in float32."""

    def __init__(self, folder: Path, batch: int = 64, device: str = "cpu") -> None:
        """Raises `ResourceError` where the folder holds no model."""
        self.version = _folder_version(folder)
        self._tokenizer, self._model = open_transformer(folder, device)
        self._device = device
        self._batch = batch

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        import torch

        rows: list[Any] = []
        with torch.inference_mode():
            for start in range(0, len(names), self._batch):
                # Every name is padded alike: its vector does not depend on the names beside it.
                batch = self._tokenizer(
                    list(names[start : start + self._batch]), padding="max_length", truncation=True,
                    max_length=PIECES, return_tensors="pt",
                ).to(self._device)  # fmt: skip
                hidden = self._model(**batch).last_hidden_state[:, 0]
                rows.append(torch.nn.functional.normalize(hidden.float(), dim=1).cpu().numpy())
        return np.concatenate(rows) if rows else np.zeros((0, self._model.config.hidden_size), dtype=np.float32)


def open_encoder(name: str | None = None, device: str = "cpu") -> Encoder:
    """The encoder of a name: None or `default` for ours, a .safetensors file of its kind, or a model's folder.

    `device` is where a model of the Hugging Face kind computes. Raises `ResourceError` where there is none.
    """
    if name in (None, DEFAULT):
        return BagEncoder.open()
    path = Path(str(name))
    return TransformerEncoder(path, device=device) if path.is_dir() else BagEncoder.open(path)


def open_transformer(folder: Path, device: str = "cpu") -> tuple[Any, Any]:
    """Tokenizer and model of a folder, the model in evaluation. Raises `ResourceError` where they cannot be opened."""
    require("transformers", extra="models", purpose=f"the model at {folder}")
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    # A bar over the loading of weights, and advice on them, would stand among our own messages.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        return tokenizer, model.to(device).eval()
    except (OSError, ValueError, RuntimeError) as error:
        why = str(error).partition("\n")[0]
        raise ResourceError(f"the model at {folder} cannot be opened ({why}); get it again") from error


def encoder_version(name: str | None = None) -> str:
    """The sha256 of an encoder's weights (and, of a model's folder, of its other files), in hex.

    Imports nothing heavy. Raises `ResourceError` where there is none.
    """
    path = EMBEDDED if name in (None, DEFAULT) else Path(str(name))
    if path.is_dir():
        return _folder_version(path)
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise _missing(path, error) from error


def _missing(path: Path, error: Exception) -> ResourceError:
    return ResourceError(
        f"no dense encoder at {path} ({error}); say {DEFAULT} for the embedded one, name a model's folder, or train "
        "one with `nlmchem train dense`"
    )


def _folder_version(folder: Path) -> str:
    """The sha256 of what decides about the vectors: weights, configuration and tokenizer."""
    if not any(folder.glob("*.safetensors")) or not (folder / "config.json").is_file():
        raise ResourceError(f"no model in the folder {folder}: it needs a config.json and weights (.safetensors)")
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".json", ".txt", ".model") and path.name != CARD:
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def read_card(path: Path = EMBEDDED) -> dict[str, Any]:
    """What weights were trained on and how they scored."""
    return dict(json.loads(path.with_suffix(".json").read_text("utf-8")))
