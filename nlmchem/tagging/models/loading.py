"""Loads tagging models from folders.

A folder has the files of a Hugging Face model (config.json, tokenizer, model.safetensors), or int8 weights
(`quantization`). `nlmchem.json` contains what this project adds: window, head, facts for the model card. Nothing is
downloaded, and no pickle is read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.errors import ConfigurationError, NlmchemError, ResourceError
from corpora.extras import require
from corpora.storage.weight_files import require_safe_weights
from nlmchem.tagging.models import quantization
from nlmchem.tagging.models.arithmetic import FLOAT32, INT8, chosen
from nlmchem.tagging.models.labels import LabelSet
from nlmchem.tagging.models.trial import require_usable
from nlmchem.tagging.tokenization.windows import MULTIPLE
from nlmchem.tagging.tokenization.word_pieces import CASES, PieceClasses, PieceCutter, taken_apart

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

__all__ = [
    "CRF_FILE",
    "DEFAULT_WINDOW",
    "FACTS_FILE",
    "MODEL_TYPES",
    "Model",
    "cased_vocabulary",
    "check_folder",
    "classes_of",
    "cutter_of",
    "load_model",
    "longest_window",
    "network_of",
    "quiet_transformers",
    "read_json",
    "readable",
    "require_device",
    "require_finite",
    "version_of",
]

FACTS_FILE = "nlmchem.json"
CRF_FILE = "crf.safetensors"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
MODEL_TYPES = ("bert", "roberta", "xlm-roberta", "camembert", "deberta", "deberta-v2", "electra")
DEFAULT_WINDOW = 256
KERNELS = 64
"""Compiled matrix products that a process keeps, unless the environment sets another number."""
_PLACED_BEHIND_PADDING = ("roberta", "xlm-roberta", "camembert")
"""Model types that count positions from the id of the padding plus 1. The positions before are not used."""
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spm.model", "sentencepiece.bpe.model")
_HASHED = ("config.json", "tokenizer.json", "vocab.txt", "merges.txt", FACTS_FILE, CRF_FILE, quantization.FILE)
_TOKENIZER_SETTINGS = ("tokenizer*.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "*.model")
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")

Network = Callable[["Tensor", "Tensor"], "Tensor"]
"""Ids and mask (windows x pieces) to logits (windows x pieces x labels)."""


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded token classifier. `version`: the sha256 of all its files that can change scores.

    `window`: the largest number of pieces in a window, with special pieces. `transitions` (roles x roles): those of a
    CRF head, if there is one. `outside_bias`: is subtracted from the log-odds of O, so that the model finds more.
    """

    name: str
    version: str
    cutter: PieceCutter
    network: Network
    labels: LabelSet
    window: int
    device: str
    transitions: NDArray[np.float32] | None = None
    outside_bias: float = 0.0


def load_model(path: str | Path, device: str = "cpu", arithmetic: str = FLOAT32) -> Model:
    """Read the model in a folder. `arithmetic`: as `--arithmetic` (`arithmetic.chosen`).

    For int8 arithmetic, float32 weights are rounded in the same way as those of a folder that stores int8.

    Raises `ResourceError` (missing, damaged, a pickle, not a token classifier, no such device) and
    `ConfigurationError` (not the labels of a chemical tagger). The messages contain the folder.
    """
    folder = Path(path)
    check_folder(folder)
    # oneDNN keeps compiled code for each shape of a product, 1,024 by default. Batches have few shapes that recur.
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(KERNELS))
    require_device(device)
    arithmetic = chosen(arithmetic, device)
    with readable(folder):
        model = _load(folder, device, arithmetic)
        require_usable(model)
    return model


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Errors while a model is read become `ResourceError` or `ConfigurationError`; the message names the folder."""
    try:
        yield
    except NlmchemError as error:
        raise type(error)(f"the model {folder} cannot be used: {error}") from error
    except MemoryError:
        raise
    except Exception as error:
        # For damaged files the libraries raise errors of many classes, among them plain `Exception`.
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(
            f"the model {folder} cannot be used: {type(error).__name__}: {reason}; get the model again"
        ) from error


def version_of(path: str | Path) -> str:
    """The sha256 of all files of a model that can change scores. Does not import torch. Raises `ResourceError`."""
    folder = Path(path)
    check_folder(folder)
    patterns = ("*.safetensors*", *_TOKENIZER_SETTINGS)
    names = sorted({*_HASHED, *(file.name for pattern in patterns for file in folder.glob(pattern))})
    total = hashlib.sha256()
    for name in names:
        if (folder / name).is_file():
            with (folder / name).open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
            total.update(f"{name} {digest}\n".encode())
    return total.hexdigest()


def check_folder(folder: Path) -> None:
    """Raise `ResourceError` if a folder does not have the files of a model. The message names the missing file."""
    if not folder.is_dir():
        raise ResourceError(
            f"no model folder {folder}; give the path of a folder with config.json and model.safetensors"
        )
    if not (folder / "config.json").is_file():
        raise ResourceError(f"the folder {folder} has no config.json, so it is not a model; give the folder of a model")
    require_safe_weights(folder)
    if not any((folder / name).is_file() for name in (*WEIGHTS, quantization.FILE)):
        pickles = sorted(file.name for pattern in _PICKLES for file in folder.glob(pattern))
        if pickles:
            raise ResourceError(
                f"the model {folder} has its weights in {pickles[0]}, a pickle, which can run any program when it is "
                "read; get or save the model as model.safetensors (see docs/reference/tagger.md)"
            )
        raise ResourceError(f"the model {folder} has no model.safetensors; get the model again")
    if not any((folder / name).is_file() for name in _TOKENIZERS):
        raise ResourceError(
            f"the model {folder} has no tokenizer (tokenizer.json); copy the one of its base model into the folder"
        )


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises `ResourceError` for a damaged file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path.name} cannot be read ({error}); get the model again") from error
    if not isinstance(value, dict):
        raise ResourceError(f"{path.name} is not a JSON object; get the model again")
    return value


def cased_vocabulary(config: Mapping[str, Any], facts: Mapping[str, Any]) -> int:
    """The size of the vocabulary if the model receives the case of each piece (`letter_case`), else 0."""
    return int(config["vocab_size"]) if facts.get("letter_case") else 0


def classes_of(facts: Mapping[str, Any]) -> PieceClasses | None:
    """The classes of pieces that a model receives besides their case, by its `nlmchem.json`; None if there are none."""
    if not facts.get("gazetteer"):
        return None
    from nlmchem.tagging.gazetteer.classes import shipped_gazetteer

    return shipped_gazetteer()


def network_of(classifier: Any, cased: int) -> Network:
    """A token classifier of `transformers` as a function of ids. They contain the case if `cased` is not 0."""

    def network(ids: Tensor, mask: Tensor) -> Tensor:
        segments = {}
        if cased:
            ids, segments["token_type_ids"] = taken_apart(ids, cased)
        logits: Tensor = classifier(input_ids=ids, attention_mask=mask, **segments).logits
        return logits

    return network


def longest_window(config: Mapping[str, Any]) -> int:
    """The largest window of a model in pieces, with special pieces: a multiple of 16."""
    positions = int(config.get("max_position_embeddings") or 512)
    if config.get("model_type") in _PLACED_BEHIND_PADDING:
        positions -= int(config.get("pad_token_id") or 0) + 1
    return max(MULTIPLE, positions // MULTIPLE * MULTIPLE)


def quiet_transformers() -> None:
    """Import `transformers`, switch off its reports and progress bars, and forbid it to go online."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def cutter_of(tokenizer: PreTrainedTokenizerBase, cased: int = 0, classes: PieceClasses | None = None) -> PieceCutter:
    """The fast tokenizer inside a tokenizer of `transformers`. Raises `ResourceError` for a slow tokenizer.

    `cased`: the size of the vocabulary if ids contain the case of each piece (`letter_case`), else 0.
    `classes`: as for `PieceCutter`.
    """
    backend = getattr(tokenizer, "backend_tokenizer", None)
    first = tokenizer.cls_token_id if tokenizer.cls_token_id is not None else tokenizer.bos_token_id
    separator = tokenizer.sep_token_id if tokenizer.sep_token_id is not None else tokenizer.eos_token_id
    if backend is None:
        raise ResourceError("its tokenizer is a slow one, which has no offsets; save it as tokenizer.json")
    if first is None or separator is None:
        raise ResourceError("its tokenizer has no first piece or no separator; name them in tokenizer_config.json")
    padding = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else separator
    backend.no_truncation()
    backend.no_padding()
    return PieceCutter(backend, int(first), int(separator), int(padding), cased, classes)


def _load(folder: Path, device: str, arithmetic: str) -> Model:
    config = read_json(folder / "config.json")
    if config.get("model_type") not in MODEL_TYPES:
        raise ResourceError(f"it is of type {config.get('model_type')!r}, not one of {', '.join(MODEL_TYPES)}")
    facts = read_json(folder / FACTS_FILE) if (folder / FACTS_FILE).is_file() else {}
    labels = _labels(config)
    _require_rows(config, facts)
    if (folder / "tokenizer.json").is_file():
        # For a damaged file, the library raises plain `Exception`. This check comes first and raises `ResourceError`.
        read_json(folder / "tokenizer.json")
    if (folder / quantization.FILE).is_file():
        network, cutter = _stored(folder, config, facts, device, arithmetic)
    else:
        network, cutter = _from_transformers(folder, config, facts, device, arithmetic)
    window = min(int(facts.get("window", DEFAULT_WINDOW)), longest_window(config)) // MULTIPLE * MULTIPLE
    return Model(
        name=str(facts.get("name") or folder.resolve().name),
        version=version_of(folder),
        cutter=cutter,
        network=network,
        labels=labels,
        window=max(MULTIPLE, window),
        device=device,
        transitions=_transitions(folder, labels) if facts.get("head") == "crf" else None,
        outside_bias=_outside_bias(facts),
    )


def _require_rows(config: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Raise `ResourceError` if a model does not have an embedding for each case, class and style of a piece."""
    classes = classes_of(facts)
    if classes is not None:
        expected = CASES * classes.count * len(facts.get("styles") or [""])
        if not facts.get("letter_case") or config.get("type_vocab_size") != expected:
            raise ResourceError(
                f"its config.json has {config.get('type_vocab_size')} embeddings for the case and the class of pieces, "
                f"not {expected}; get the model again"
            )


def _outside_bias(facts: dict[str, Any]) -> float:
    value = facts.get("outside_bias", 0.0)
    if not isinstance(value, int | float) or isinstance(value, bool) or not -20 <= value <= 20:
        raise ResourceError(f"its {FACTS_FILE} has the outside_bias {value!r}; give a number from -20 to 20")
    return float(value)


def _labels(config: Mapping[str, Any]) -> LabelSet:
    names = config.get("id2label")
    if not isinstance(names, dict) or not names:
        raise ConfigurationError(
            "its config.json has no labels (id2label), so it is not a trained tagger; train it first"
        )
    try:
        return LabelSet.parse({int(number): str(name) for number, name in names.items()})
    except ValueError as error:
        raise ConfigurationError(f"the id2label of its config.json is not numbered ({error}); correct it") from error


def _stored(
    folder: Path, config: Mapping[str, Any], facts: Mapping[str, Any], device: str, arithmetic: str
) -> tuple[Network, PieceCutter]:
    """A model with int8 weights: our own forward pass, and a tokenizer that does not need `transformers`."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

    from nlmchem.tagging.models.bert import Bert

    special = facts.get("special") or {}
    cased = cased_vocabulary(config, facts)
    try:
        tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
        first, separator, padding = (int(special[name]) for name in ("first", "separator", "padding"))
        cutter = PieceCutter(tokenizer, first, separator, padding, cased, classes_of(facts))
    except KeyError as error:
        raise ResourceError(
            f"its {FACTS_FILE} lacks the special piece {error.args[0]!r}; get the model again"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    stored = quantization.read_quantised(folder)
    require_finite(stored)
    return Bert(config, stored, device, bool(cased), arithmetic), cutter


def _from_transformers(
    folder: Path, config: Mapping[str, Any], facts: Mapping[str, Any], device: str, arithmetic: str
) -> tuple[Network, PieceCutter]:
    cased = cased_vocabulary(config, facts)
    require("transformers", extra="models", purpose="a model whose weights are not int8")
    quiet_transformers()
    from safetensors import SafetensorError
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model, found = AutoModelForTokenClassification.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True, output_loading_info=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(f"it cannot be read ({reason}); get the model again") from error
    lacking = sorted(found["missing_keys"])
    if lacking:
        raise ResourceError(f"its weights lack {lacking[0]}, so it is not a trained tagger; train it first")
    require_finite(model.state_dict())
    model = model.float().to(device).eval()
    network = network_of(model, cased) if arithmetic == FLOAT32 else _rounded(model, config, cased)
    return network, cutter_of(tokenizer, cased, classes_of(facts))


def require_finite(tensors: Mapping[str, Tensor]) -> None:
    """Raise `ResourceError` if a tensor contains values that are not finite numbers."""
    for name, tensor in sorted(tensors.items()):
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise ResourceError(f"its weights {name} contain values that are not finite numbers; get the model again")


def _rounded(classifier: Any, config: Mapping[str, Any], cased: int) -> Network:
    """A token classifier of `transformers` with int8 arithmetic, by our own forward pass if it supports the model."""
    from nlmchem.tagging.models.bert import Bert, computes
    from nlmchem.tagging.models.integers import replace_linears, require_exact_products

    if computes(config):
        return Bert(config, quantization.quantise(classifier.state_dict()), cased=bool(cased), arithmetic=INT8)
    require_exact_products()
    replace_linears(classifier)
    return network_of(classifier, cased)


def _transitions(folder: Path, labels: LabelSet) -> NDArray[np.float32]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights: NDArray[np.float32] = load_file(folder / CRF_FILE)["transitions"]
    except (OSError, KeyError, SafetensorError) as error:
        raise ResourceError(f"its {CRF_FILE} cannot be read ({error}); get the model again") from error
    if not labels.plain or weights.shape != (labels.scheme.size, labels.scheme.size):
        raise ResourceError(f"its {CRF_FILE} does not match its labels; get the model again")
    if not bool(abs(weights).max() < float("inf")):
        raise ResourceError(f"its {CRF_FILE} contains values that are not finite numbers; get the model again")
    return weights


def require_device(device: str) -> None:
    """Raise `ConfigurationError` for a device that is not supported, `ResourceError` for one that is missing."""
    import torch

    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        raise ConfigurationError(f"there is no device {device!r}; use cpu, cuda or cuda:1") from error
    if kind not in ("cpu", "cuda"):
        raise ConfigurationError(f"the device {device!r} is not supported; use cpu or cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ResourceError("no CUDA device found; use --device cpu")
