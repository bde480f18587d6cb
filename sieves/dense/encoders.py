"""Encoders, which turn names into vectors: the embedded one, which reads character n-grams, and local transformers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ResourceError, command, is_panic
from corpora.extras import require, require_device
from corpora.storage.atomic import sha256_of
from corpora.storage.weight_files import require_safe_weights
from corpora.words.folding import GREEK_NAME_OF
from sieves.lexicon.keys import plain

DEFAULT = "default"
"""The name of the embedded encoder."""
EMBEDDED = Path(__file__).with_name("dense.safetensors")
"""The weights in the package; dense.md beside them is the card."""
CARD = "card.json"
"""The card in a folder written by `nlmchem train dense`: training data and scores."""
BATCH = 64
"""Names that a transformer reads together."""
PART = 64
"""Names whose n-grams are summed at a time, so that the rows fit into the cache of the processor."""
PIECES = 32
"""Word pieces of a name; the transformer does not read further ones."""
MULTIPLE = 8
"""Names are padded to the next multiple of this many word pieces."""
SIZES = (2, 3, 4, 5)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_NO_WORD = re.compile(r"[\W_]+")
_GREEK = {ord(letter): GREEK_NAME_OF[letter] for letter in "αβγδεκλμω"}
"""The letters that the embedded encoder was trained with."""
LONGEST = 200
"""Characters of a name; the embedded encoder does not read further ones."""


class Encoder(Protocol):
    """Turns names into rows of unit length (float32). The row of a name does not depend on the other names."""

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
        """Read weights. Raises `ResourceError` if they are missing or broken."""
        from safetensors import SafetensorError
        from safetensors.numpy import load

        try:
            content = path.read_bytes()
            weights = load(content)["ngrams"]
        except (OSError, SafetensorError, KeyError) as error:
            raise _missing(path, error) from error
        if weights.ndim != 2 or not np.isfinite(weights).all():
            raise ResourceError(f"the weights in {path} are not a table of finite numbers; get the file again")
        return cls(weights.astype(np.float32), hashlib.sha256(content).hexdigest())

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        rows = [np.zeros((0, self._weights.shape[1]), dtype=np.float32)]
        for start in range(0, len(names), PART):
            grams, starts = bags(names[start : start + PART], len(self._weights))
            sums = np.add.reduceat(self._weights[grams], starts, axis=0)
            lengths = np.linalg.norm(sums, axis=1, keepdims=True)
            rows.append(np.asarray(sums / np.maximum(lengths, 1e-9), dtype=np.float32))
        return np.concatenate(rows)


def spelled(name: str) -> str:
    """A name as the encoder reads it: lower case, single spaces, Greek letters by name, marks at both ends.

    >>> spelled("β-Carotene 15,15'-x")
    '<beta carotene 15 15 x>'
    """
    return f"<{_NO_WORD.sub(' ', plain(name).casefold().translate(_GREEK)).strip()[:LONGEST]}>"


def bags(names: Sequence[str], buckets: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The bucket numbers of the n-grams of all names in one array, and the position of each name's first n-gram.

    Hashes are multiplicative, over UTF-8 bytes, and are the same on every machine. A name has at least one n-gram.
    """
    read = [spelled(name).encode("utf-8", "surrogatepass") for name in names]
    lengths = np.array([len(text) for text in read], dtype=np.int64)
    codes = np.frombuffer(b"".join(read), dtype=np.uint8).astype(np.uint64)
    owner = np.repeat(np.arange(len(read)), lengths)
    # The number of bytes to the end of the name, because an n-gram must not reach into the next name.
    left = np.repeat(np.cumsum(lengths), lengths) - np.arange(len(codes))
    hashes, owners = [], []
    rolling = np.zeros(len(codes), dtype=np.uint64)
    for size in range(1, min(max(SIZES), len(codes)) + 1):
        # The hashes of the n-grams of this size that begin at each byte.
        with np.errstate(over="ignore"):
            rolling = (rolling[: len(codes) - size + 1] ^ codes[size - 1 :]) * _MULTIPLIER
        if size in SIZES:
            whole = left[: len(rolling)] >= size
            # The high bits of a product are the best mixed.
            hashes.append((((rolling + np.uint64(size)) >> np.uint64(32)) % np.uint64(buckets))[whole])
            owners.append(owner[: len(rolling)][whole])
    if not hashes:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    order = np.argsort(np.concatenate(owners), kind="stable")
    numbers = np.bincount(np.concatenate(owners), minlength=len(read))
    return np.concatenate(hashes).astype(np.int64)[order], np.cumsum(numbers) - numbers


class TransformerEncoder:
    """A local model such as SapBERT: the vector of the first token, in float32."""

    def __init__(self, folder: Path, device: str = "cpu") -> None:
        """Raises `ResourceError` if the folder has no model."""
        self.version = folder_version(folder)
        self._tokenizer, self._model = open_transformer(folder, device)
        self._device = device

    def encode(self, names: Sequence[str]) -> NDArray[np.float32]:
        import torch

        pieces: list[list[int]] = []
        for start in range(0, len(names), PART):
            part = list(names[start : start + PART])
            pieces += self._tokenizer(part, truncation=True, max_length=PIECES)["input_ids"]
        vectors = np.zeros((len(names), self._model.config.hidden_size), dtype=np.float32)
        with torch.inference_mode():
            for length, members in alike(pieces, BATCH):
                # The padded length of a name depends on the name alone, so its vector does, too.
                batch = self._tokenizer.pad(
                    {"input_ids": [pieces[at] for at in members]},
                    padding="max_length", max_length=length, return_tensors="pt",
                ).to(self._device)  # fmt: skip
                hidden = self._model(**batch).last_hidden_state[:, 0]
                vectors[members] = torch.nn.functional.normalize(hidden.float(), dim=1).cpu().numpy()
        return vectors


def alike(pieces: Sequence[Sequence[int]], size: int) -> Iterator[tuple[int, list[int]]]:
    """Batches of at most `size` names that are padded to the same length: (length, positions of the names)."""
    groups: dict[int, list[int]] = {}
    for at, piece in enumerate(pieces):
        groups.setdefault(-(-max(1, len(piece)) // MULTIPLE) * MULTIPLE, []).append(at)
    for length, members in sorted(groups.items()):
        for start in range(0, len(members), size):
            yield length, members[start : start + size]


def open_encoder(name: str | None = None, device: str = "cpu") -> Encoder:
    """Open an encoder: None or `default` for the embedded one, a .safetensors file, or the folder of a transformer.

    `device`: where a transformer computes. Raises `ResourceError` if there is no encoder.
    """
    if name in (None, DEFAULT):
        return BagEncoder.open()
    path = Path(str(name))
    return TransformerEncoder(path, device=device) if path.is_dir() else BagEncoder.open(path)


def open_transformer(folder: Path, device: str = "cpu") -> tuple[Any, Any]:
    """Tokenizer and model of a folder, in evaluation mode.

    Raises `ResourceError` if they cannot be opened or the device is missing, `ConfigurationError` for an unknown one.
    """
    require("torch", "transformers", extra="models", purpose=f"the model at {folder}")
    import torch
    from transformers import AutoModel, AutoTokenizer
    from transformers.utils import logging

    # Progress bars and advice of the library would mix with our messages.
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    require_safe_weights(folder)
    require_device(device)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModel.from_pretrained(folder, local_files_only=True, use_safetensors=True)
        _add_special_pieces(tokenizer)
        model = model.to(device).eval()
    except MemoryError:
        raise
    except BaseException as error:
        # For a damaged tokenizer the library raises plain `Exception`, or panics.
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        why = str(error).partition("\n")[0]
        remedy = "download it again, with weights in model.safetensors"
        raise ResourceError(f"cannot open the model in {folder} ({why}); {remedy}") from error
    # Models of other kinds have no state for each word piece of a text.
    try:
        pieces = tokenizer("zinc", return_tensors="pt").to(model.device)
        with torch.inference_mode():
            usable = model(**pieces).last_hidden_state.shape[:2] == pieces["input_ids"].shape
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError):
        usable = False
    if not usable:
        raise ResourceError(
            f"the model in {folder} ({model.config.model_type}) is no encoder of texts; give one such as "
            "all-MiniLM-L6-v2 or SapBERT"
        )
    return tokenizer, model


def _add_special_pieces(tokenizer: Any) -> None:
    """Let a tokenizer put its first and last special piece around each name if it does not yet.

    The vector of a name is that of the first piece. The tokenizer of the embedded tagger adds no special pieces.
    """
    first, last = tokenizer.cls_token, tokenizer.sep_token
    if first is None or last is None or tokenizer("x")["input_ids"][:1] == [tokenizer.cls_token_id]:
        return
    from tokenizers.processors import TemplateProcessing

    pieces = [(first, tokenizer.cls_token_id), (last, tokenizer.sep_token_id)]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(f"{first} $A {last}", special_tokens=pieces)


def encoder_version(name: str | None = None) -> str:
    """The sha256 (hex) of the weights of an encoder; for a folder, of its other files as well.

    Imports no large library. Raises `ResourceError` if there is no encoder.
    """
    path = EMBEDDED if name in (None, DEFAULT) else Path(str(name))
    if path.is_dir():
        return folder_version(path)
    try:
        return sha256_of(path)
    except OSError as error:
        raise _missing(path, error) from error


def _missing(path: Path, error: Exception) -> ResourceError:
    return ResourceError(
        f"there is no dense encoder at {path} ({error}); use {DEFAULT} for the embedded one, give the folder of a "
        f"model, or train one with {command('train dense')}"
    )


def folder_version(folder: Path) -> str:
    """The sha256 of the files that determine the vectors: weights, configuration and tokenizer."""
    if not any(folder.glob("*.safetensors")) or not (folder / "config.json").is_file():
        raise ResourceError(f"there is no model in {folder}; it needs a config.json and weights (.safetensors)")
    require_safe_weights(folder)
    digest = hashlib.sha256()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".json", ".txt", ".model") and path.name != CARD:
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            digest.update(bytes.fromhex(sha256_of(path)))
    return digest.hexdigest()
