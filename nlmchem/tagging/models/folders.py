"""The folders of models: the embedded one, the files that a folder needs, their hash, and how they are read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.errors import Argument, ConfigurationError, NlmchemError, ResourceError, is_panic
from corpora.storage.atomic import sha256_of
from corpora.storage.weight_files import require_safe_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEXICONS, _LEXICON_SUFFIXES = ("starter",), (".sqlite", ".tsv")
"""What names a lexicon and no tagger."""
LEXICON = "lexicon"
"""The tagger that needs no model."""
DEFAULT = "default"
"""The embedded model."""
FOLDER = Path(__file__).with_name("default")

FILE = "model.int8.safetensors"
"""Weights as int8 (`weights.quantise`)."""
FACTS_FILE = "nlmchem.json"
_CRF_FILE = "crf.safetensors"
WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
DEFAULT_WINDOW = 256
_LISTED = 5
"""Models that a message names."""
GUIDELINES = "styles"
"""The key of the guidelines in `nlmchem.json`; the first ones, "", are those of the target."""
TOKEN_CLASSIFIERS = ("bert", "roberta", "xlm-roberta", "camembert", "deberta", "deberta-v2", "electra")
"""The values of `model_type` in the config.json of token classifiers."""
ANCESTORS = "from"
"""The key of the versions of the models that a model was trained from, in `nlmchem.json`."""
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spm.model", "sentencepiece.bpe.model")
_HASHED = ("config.json", "tokenizer.json", "vocab.txt", "merges.txt", FACTS_FILE, FILE)
_TOKENIZER_SETTINGS = ("tokenizer*.json", "special_tokens_map.json", "added_tokens.json", "vocab.json", "*.model")
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.ckpt")


def folder_of(name: str) -> Path:
    """The folder of a model: the given path, or the folder of the embedded model for `default`.

    Raises `ConfigurationError` if the path is no folder or has several models, `ResourceError` if the embedded model is
    missing.
    """
    if name == DEFAULT:
        if not (FOLDER / FILE).is_file():
            raise ResourceError(
                f"the embedded model is missing: {FOLDER} has no {FILE}; install nlmchem again, or choose the tagger "
                f"{LEXICON} or the folder of a model"
            )
        return FOLDER
    folder = Path(name)
    if not folder.is_dir():
        if name in _LEXICONS or folder.suffix in _LEXICON_SUFFIXES:
            raise ConfigurationError(f"no tagger {name!r}; to use this lexicon, give ", Argument("lexicon", name))
        raise ConfigurationError(f"no tagger {name!r}; choose {LEXICON}, {DEFAULT}, or the folder of a model")
    if (folder / "config.json").is_file():
        return folder
    # The only model in the output of a training; `check_folder` refuses a folder without one.
    places = ("model", "*/model", "*/*/model")
    models = sorted(path.parent for place in places for path in folder.glob(f"{place}/config.json"))
    if len(models) > 1:
        listed = ", ".join(map(str, models[:_LISTED])) + (" ..." if len(models) > _LISTED else "")
        raise ConfigurationError(f"{folder} has {len(models)} models; name one or several of them: {listed}")
    return models[0] if models else folder


def check_folder(folder: Path) -> None:
    """Raise `ResourceError` if a folder does not have the files of a model. The message names the missing file."""
    if not folder.is_dir():
        raise ResourceError(
            f"no model folder {folder}; give the path of a folder with config.json and model.safetensors"
        )
    if not (folder / "config.json").is_file():
        raise ResourceError(f"the folder {folder} has no config.json, so it is not a model; give the folder of a model")
    require_safe_weights(folder)
    if (folder / _CRF_FILE).is_file():
        raise ResourceError(f"the model {folder} has a CRF ({_CRF_FILE}), which is not supported; use another model")
    if not any((folder / name).is_file() for name in (*WEIGHTS, FILE)):
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


def version_of(path: str | Path) -> str:
    """The sha256 of all files of a model that can change scores. Does not import torch. Raises `ResourceError`."""
    folder = Path(path)
    check_folder(folder)
    patterns = ("*.safetensors*", *_TOKENIZER_SETTINGS)
    names = sorted({*_HASHED, *(file.name for pattern in patterns for file in folder.glob(pattern))})
    total = hashlib.sha256()
    for name in names:
        if (folder / name).is_file():
            total.update(f"{name} {sha256_of(folder / name)}\n".encode())
    return total.hexdigest()


@contextmanager
def readable(folder: Path) -> Iterator[None]:
    """Errors while a model is read become `ResourceError` or `ConfigurationError`; the message names the folder."""
    try:
        yield
    except NlmchemError as error:
        raise type(error)(f"the model {folder} cannot be used: ", error.text) from error
    except MemoryError:
        raise
    except BaseException as error:
        # For damaged files the libraries raise errors of many classes, among them plain `Exception`.
        if not isinstance(error, Exception) and not is_panic(error):
            raise
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(
            f"the model {folder} cannot be used: {type(error).__name__}: {reason}; get the model again"
        ) from error


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises `ResourceError` for a damaged file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path.name} cannot be read ({error}); get the model again") from error
    if not isinstance(value, dict):
        raise ResourceError(f"{path.name} is not a JSON object; get the model again")
    return value


def read_facts(folder: Path) -> dict[str, Any]:
    """The content of `nlmchem.json` in a folder; {} if there is none. Raises `ResourceError` for a damaged file."""
    return read_json(folder / FACTS_FILE) if (folder / FACTS_FILE).is_file() else {}


def number_of(folder: Path, guidelines: str) -> int:
    """The number of annotation guidelines in the input of a model. Does not import torch.

    Corpora mark different things as chemicals. A model that was trained with guidelines receives the corpus of each
    training text as an input, so it can tag by the guidelines of any of them. Number 0 is its target.

    Raises `ConfigurationError` if the model was not trained with them, `ResourceError` if it is missing or damaged.
    """
    check_folder(folder)
    with readable(folder):
        known = [str(name) for name in read_facts(folder).get(GUIDELINES) or [""]]
    if not guidelines or guidelines not in known:
        others = ", ".join(known[1:])
        remedy = f"choose {others}, or leave the option out" if others else "leave the option out"
        raise ConfigurationError(f"the model {folder} was not trained with the guidelines {guidelines!r}; {remedy}")
    return known.index(guidelines)


def quiet_transformers() -> None:
    """Import `transformers`, switch off its reports and progress bars, and forbid it to go online."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


@contextmanager
def library_errors() -> Iterator[None]:
    """Errors of `transformers` while it reads a model become `ResourceError`."""
    from safetensors import SafetensorError

    try:
        yield
    except BaseException as error:
        known = (OSError, ValueError, RuntimeError, KeyError, SafetensorError)
        if not isinstance(error, known) and not is_panic(error):
            raise
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(f"it cannot be read ({reason}); get the model again") from error


def read_network(kind: Any, folder: Path, remedy: str, config: Any = None) -> Any:
    """A network of `transformers`, of the class `kind`, from safetensors. `config`: instead of that of the folder.

    Raises `ResourceError` if it cannot be read, if weights are missing (`remedy`: the end of the sentence), or if a
    value is not a finite number.
    """
    with library_errors():
        network, report = kind.from_pretrained(
            folder,
            config=config,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            output_loading_info=True,
        )
    if lacking := sorted(report["missing_keys"]):
        raise ResourceError(f"its weights lack {lacking[0]}{remedy}")
    require_finite(
        (name, tensor.float().numpy()) for name, tensor in network.state_dict().items() if tensor.is_floating_point()
    )
    return network


def require_finite(weights: Iterable[tuple[str, NDArray[Any]]]) -> None:
    """Raise `ResourceError` if weights, by their names, contain values that are not finite numbers."""
    import numpy as np

    for name, array in weights:
        if not np.isfinite(array).all():
            raise ResourceError(f"its weights {name} contain values that are not finite numbers; get the model again")
