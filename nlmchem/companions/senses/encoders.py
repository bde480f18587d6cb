"""Encoders of sentences: a local transformer such as all-MiniLM-L6-v2, and the one that comes with the package."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nlmchem.tagging.kernel.arithmetic import AUTO, chosen
from nlmchem.tagging.models.folders import check_folder, read_facts, read_json, readable, version_of
from nlmchem.tagging.models.loading import bert_of, longest_window, stored_parts
from nlmchem.tagging.models.weights import SCALE
from sieves.dense.encoders import alike, folder_version, open_transformer

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


EMBEDDED = Path(__file__).with_name("encoder")
"""The encoder that comes with the package; README.md in the folder is its card."""
BATCH = 32


class EmbeddedEncoder:
    """Turns texts into rows of unit length (float32), as `SentenceEncoder` does.

    The row of a text does not depend on the other texts.
    """

    def __init__(self, folder: Path = EMBEDDED, arithmetic: str = AUTO) -> None:
        """`arithmetic`: as the option of the tagger. Raises `ResourceError` if a file is missing or damaged."""
        check_folder(folder)
        arithmetic = chosen(arithmetic, "cpu")
        with readable(folder):
            config = read_json(folder / "config.json")
            stored, self._cutter = stored_parts(folder, config, read_facts(folder))
            self._width = int(config["hidden_size"])
            self._longest = min(PIECES, longest_window(config))
            self._layers = int(config["num_hidden_layers"])
            # The forward pass is that of a token classifier, which an encoder is not.
            head: dict[str, NDArray[Any]] = {
                "classifier.weight": np.zeros((1, self._width), np.int8),
                f"classifier.weight{SCALE}": np.ones(1, np.float32),
                "classifier.bias": np.zeros(1, np.float32),
            }
            self._network = bert_of(config, {**stored, **head}, "cpu", False, arithmetic)
            self.encode(["zinc"])
        self.version = f"{version_of(folder)}:{arithmetic}"
        """The sha256 of the files, and the arithmetic, which changes the last digits."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The rows of texts, (texts, width). The first `PIECES` word pieces of a text are read."""
        cutter = self._cutter
        ids = [
            [cutter.first, *encoding.ids[: self._longest - 2].tolist(), cutter.separator] for encoding in cutter(texts)
        ]
        vectors = np.zeros((len(texts), self._width), dtype=np.float32)
        for length, members in alike(ids, BATCH):
            pieces = np.full((len(members), length), cutter.padding, dtype=np.int64)
            for row, member in enumerate(members):
                pieces[row, : len(ids[member])] = ids[member]
            sizes = np.array([len(ids[member]) for member in members])
            states = self._network.states(pieces, (np.arange(length) < sizes[:, None]).astype(np.int64), self._layers)
            for row, member in enumerate(members):
                # One mean for each text, because a mean of padded rows rounds by their length.
                mean = states[row, : sizes[row]].mean(axis=0)
                vectors[member] = mean / np.linalg.norm(mean)
        return vectors
