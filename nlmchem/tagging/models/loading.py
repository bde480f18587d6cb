"""Loads tagging models from folders.

A folder has the files of a Hugging Face model (config.json, tokenizer, model.safetensors), or int8 weights
(`weights.quantise`). `nlmchem.json` contains what this project adds: window, facts for the model card. Nothing is
downloaded, and no pickle is read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora.errors import ResourceError
from corpora.extras import require, require_device
from corpora.model.document import Span
from nlmchem.tagging.inference.labels import LabelSet, label_names, label_set
from nlmchem.tagging.inference.scoring import Model, Network, TokenClassifier
from nlmchem.tagging.kernel.arithmetic import FLOAT32, INT8, chosen
from nlmchem.tagging.models.bert import FloatBert, IntegerBert
from nlmchem.tagging.models.folders import (
    DEFAULT,
    DEFAULT_WINDOW,
    FACTS_FILE,
    FILE,
    GUIDELINES,
    TOKEN_CLASSIFIERS,
    check_folder,
    folder_of,
    library_errors,
    number_of,
    quiet_transformers,
    read_facts,
    read_json,
    read_network,
    readable,
    require_finite,
    version_of,
)
from nlmchem.tagging.models.weights import Arrays, EarlyExit, computes, quantise, read_early_exit, read_quantised
from nlmchem.tagging.tokenization.windows import MULTIPLE
from nlmchem.tagging.tokenization.word_pieces import CASES, PieceClasses, PieceCutter

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerBase

    from nlmchem.tagging.models.torch_networks import Bert


KERNELS = 64
"""Compiled matrix products that a process keeps, unless the environment sets another number."""
TERM_LAYER = 3
"""Layers that `TermVectors` computes: half of the embedded model. More did not help (docs/measurements/pairs.md)."""
UNKNOWN_WORDS = f"\U00013000 {'a' * 200}"
"""A letter that few vocabularies have, and a word that is too long for word pieces."""
_PLACED_BEHIND_PADDING = ("roberta", "xlm-roberta", "camembert")
"""Model types that count positions from the id of the padding plus 1. The positions before are not used."""


def open_model(
    path: str | Path,
    device: str = "cpu",
    arithmetic: str = "float32",
    guidelines: str | None = None,
    labels: Sequence[str] = (),
) -> Model:
    """The model in a folder. `arithmetic`: as for `load_model`.

    `guidelines`: those that the model follows (None: those of its target). `labels`: as in `labels_of`. Raises as
    `load_model`, and `ConfigurationError` if the model was not trained with the guidelines.
    """
    folder = Path(path)
    check_folder(folder)
    number = 0 if guidelines is None else number_of(folder, guidelines)
    model = load_model(folder, device, arithmetic, labels)
    return replace(model, cutter=replace(model.cutter, guidelines=number))


def labels_of(folder: Path, given: Sequence[str] = ()) -> LabelSet:
    """The labels of a model. `given`: names that replace those of its config.json, in the same order (empty: none).

    Does not import torch. Raises `ConfigurationError` if they are not the labels of a chemical tagger, or if `given`
    has another number of names than the model has labels; `ResourceError` if config.json is damaged.
    """
    with readable(folder):
        return label_set(read_json(folder / "config.json"), given)


def load_model(
    path: str | Path, device: str = "cpu", arithmetic: str = FLOAT32, labels: Sequence[str] = ()
) -> TokenClassifier:
    """Read the model in a folder. `arithmetic`: as the option (`arithmetic.chosen`). `labels`: as in `labels_of`.

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
        model = _load(folder, device, arithmetic, labels)
        _require_usable(model)
    return model


def needs_torch(folder: Path, device: str) -> bool:
    """Whether `open_model` imports torch. On a CPU the kernel, or numpy, computes with stored int8 weights."""
    return device != "cpu" or not (folder / FILE).is_file()


def cased_vocabulary(config: Mapping[str, Any], facts: Mapping[str, Any]) -> int:
    """The size of the vocabulary if the model receives the case of each piece (`letter_case`), else 0."""
    return int(config["vocab_size"]) if facts.get("letter_case") else 0


def classes_of(facts: Mapping[str, Any]) -> PieceClasses | None:
    """The classes of pieces that a model receives besides their case, by its `nlmchem.json`; None if there are none."""
    if not facts.get("gazetteer"):
        return None
    from nlmchem.tagging.gazetteer.classes import shipped_gazetteer

    return shipped_gazetteer()


def longest_window(config: Mapping[str, Any]) -> int:
    """The largest window of a model in pieces, with special pieces: a multiple of 16."""
    positions = int(config.get("max_position_embeddings") or 512)
    if config.get("model_type") in _PLACED_BEHIND_PADDING:
        positions -= int(config.get("pad_token_id") or 0) + 1
    return max(MULTIPLE, positions // MULTIPLE * MULTIPLE)


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
    _require_cutting(backend)
    return PieceCutter(backend, int(first), int(separator), int(padding), cased, classes)


def _require_cutting(tokenizer: Tokenizer) -> None:
    """Let a tokenizer cut whole texts. Raises `ResourceError` if it cannot cut a text that is not in its vocabulary."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    try:
        tokenizer.encode(UNKNOWN_WORDS, add_special_tokens=False)
    except Exception as error:  # The library raises no other class.
        raise ResourceError(
            f"its tokenizer.json cannot cut words that are not in its vocabulary ({error}): its unknown piece is "
            "missing; get the model again"
        ) from error


def _load(folder: Path, device: str, arithmetic: str, given: Sequence[str]) -> TokenClassifier:
    config = read_json(folder / "config.json")
    if config.get("model_type") not in TOKEN_CLASSIFIERS:
        raise ResourceError(f"it is of type {config.get('model_type')!r}, not one of {', '.join(TOKEN_CLASSIFIERS)}")
    facts = read_facts(folder)
    labels = label_set(config, given)
    classes = classes_of(facts)
    if classes is not None:
        # One embedding for each case, class and guidelines of a piece.
        expected = CASES * classes.count * len(facts.get(GUIDELINES) or [""])
        if not facts.get("letter_case") or config.get("type_vocab_size") != expected:
            raise ResourceError(
                f"its config.json has {config.get('type_vocab_size')} embeddings for the case and the class of pieces, "
                f"not {expected}; get the model again"
            )
    if (folder / "tokenizer.json").is_file():
        # For a damaged file, the library raises plain `Exception`. This check comes first and raises `ResourceError`.
        read_json(folder / "tokenizer.json")
    if (folder / FILE).is_file():
        stored, cutter = stored_parts(folder, config, facts)
        early = read_early_exit(folder, config)
        network: Network = bert_of(config, stored, device, bool(cutter.cased), arithmetic, early)
    else:
        network, cutter = _from_transformers(folder, config, facts, device, arithmetic)
    size = int(config["vocab_size"])
    pieces = cutter.tokenizer.get_vocab(with_added_tokens=False)
    last = max((*pieces.values(), cutter.first, cutter.separator, cutter.padding))
    if last >= size:
        raise ResourceError(
            f"its tokenizer has {last + 1} pieces, but its vocab_size in config.json is {size}: it has that of "
            "another model; copy the one that the model was trained with into the folder"
        )
    bias = facts.get("outside_bias", 0.0)
    if not isinstance(bias, int | float) or isinstance(bias, bool) or not -20 <= bias <= 20:
        raise ResourceError(f"its {FACTS_FILE} has the outside_bias {bias!r}; give a number from -20 to 20")
    window = min(int(facts.get("window", DEFAULT_WINDOW)), longest_window(config)) // MULTIPLE * MULTIPLE
    return TokenClassifier(
        name=str(facts.get("name") or folder.resolve().name),
        version=version_of(folder),
        cutter=cutter,
        network=network,
        labels=labels,
        window=max(MULTIPLE, window),
        device=device,
        outside_bias=float(bias),
    )


def stored_parts(folder: Path, config: Mapping[str, Any], facts: Mapping[str, Any]) -> tuple[Arrays, PieceCutter]:
    """The int8 weights of a folder, and its tokenizer, which does not need `transformers`. Raises `ResourceError`."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer

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
    _require_cutting(tokenizer)
    stored = read_quantised(folder)
    require_finite((name, array) for name, array in stored.items() if array.dtype.kind == "f")
    return stored, cutter


def bert_of(
    config: Mapping[str, Any],
    stored: Arrays,
    device: str,
    cased: bool,
    arithmetic: str,
    early: EarlyExit | None = None,
) -> IntegerBert | FloatBert | Bert:
    """The forward pass of int8 weights, in `INT8` or `FLOAT32`; on a GPU in torch. Raises as the classes do.

    `early`: when pieces leave before the last layer. A GPU computes all layers.
    """
    if arithmetic == INT8:
        return IntegerBert(config, stored, cased, early)
    if device == "cpu":
        return FloatBert(config, stored, cased, early)
    from nlmchem.tagging.models.torch_networks import Bert

    return Bert(config, stored, device, cased)


def _from_transformers(
    folder: Path, config: Mapping[str, Any], facts: Mapping[str, Any], device: str, arithmetic: str
) -> tuple[Network, PieceCutter]:
    cased = cased_vocabulary(config, facts)
    require("torch", "transformers", extra="models", purpose="a model whose weights are not int8")
    quiet_transformers()
    from transformers import AutoConfig, AutoModelForTokenClassification, AutoTokenizer

    from nlmchem.tagging.models.torch_networks import computed, network_of, replace_linears

    with library_errors():
        # `transformers` reads labels from mappings with numbers only.
        names = label_names(config)
        labels = {"id2label": names, "label2id": {name: number for number, name in names.items()}}
        others = {key: value for key, value in config.items() if key not in (*labels, "num_labels", "model_type")}
        known = AutoConfig.for_model(config["model_type"], **others, **labels)
        tokenizer = AutoTokenizer.from_pretrained(folder, config=known, local_files_only=True, trust_remote_code=False)
    remedy = ", so it is not a trained tagger; train it first"
    model = read_network(AutoModelForTokenClassification, folder, remedy, known)
    model = model.float().to(device).eval()
    cutter = cutter_of(tokenizer, cased, classes_of(facts))
    if arithmetic == INT8:
        if computes(config):
            arrays = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
            return IntegerBert(config, quantise(arrays), bool(cased)), cutter
        replace_linears(model)
    return partial(computed, device, network_of(model, cased)), cutter


def _require_usable(model: TokenClassifier) -> None:
    """Score a short window with the special pieces, a few common pieces and the last piece of the vocabulary.

    Raises `ResourceError` if a piece has no embedding, if a label has no score, or if a score is not a number. Errors
    of the libraries (sizes of weights that do not match) are raised as they are.
    """
    cutter = model.cutter
    last = max(cutter.tokenizer.get_vocab(with_added_tokens=False).values(), default=0)
    common = cutter(["NaCl (2 mg)"])[0].ids[: MULTIPLE - 4].tolist()
    pieces = [cutter.first, *common, last, cutter.separator]
    ids = np.full((1, MULTIPLE), cutter.padding, dtype=np.int64)
    ids[0, : len(pieces)] = pieces
    mask = (np.arange(MULTIPLE) < len(pieces)).astype(np.int64)[None, :]
    if ids.min() < 0:
        raise ResourceError(f"its tokenizer has a piece with the number {ids.min()}; get the model again")
    scores = model.network(ids, mask)[0, : len(pieces)]
    if scores.shape[1:] != (len(model.labels.roles),):
        raise ResourceError(
            f"it gives {scores.shape[1]} scores for {len(model.labels.roles)} labels; get the model again"
        )
    if not np.isfinite(scores).all():
        raise ResourceError("it gives scores that are no numbers; get the model again")


class TermVectors:
    """Vectors of terms in their sentences: what a layer of a tagging model computes for the pieces of the term.

    Each sentence is computed alone, so that a vector depends on nothing else.
    """

    def __init__(self, name: str = DEFAULT) -> None:
        """`name`: `default` for the embedded model, or the folder of one. Raises as `load_model` does."""
        self._model: TokenClassifier = load_model(folder_of(name) if name == DEFAULT else Path(name))
        if not hasattr(self._model.network, "states"):
            raise ResourceError(f"the model {name} has no states of its layers; use {DEFAULT}, or a model of its kind")

    @property
    def version(self) -> str:
        """The sha256 of the model, and the layer."""
        return f"{self._model.version}:layer={TERM_LAYER}"

    def of(self, sentences: Sequence[str], spans: Sequence[Span]) -> NDArray[np.float32]:
        """The mean over the pieces of each term in its sentence, one row each.

        Of a long sentence, the pieces around the term are read. A term without pieces has the vector of the whole
        sentence.
        """
        cutter, room = self._model.cutter, self._model.window - 2
        rows: list[NDArray[np.float32]] = []
        for encoded, span in zip(cutter(list(sentences)), spans, strict=True):
            first, last = encoded.pieces(*span)
            begin = min(max(0, (first + last - room) // 2), max(0, len(encoded) - room))
            inner = encoded.ids[begin : begin + room]
            ids = np.concatenate([[cutter.first], inner, [cutter.separator]]).astype(np.int64)
            states: NDArray[np.float32] = self._model.network.states(  # type: ignore[attr-defined]
                ids[None], np.ones((1, len(ids)), dtype=np.int64), TERM_LAYER
            )
            hidden = states[0, 1:-1]
            of_term = hidden[first - begin : last - begin]
            if not len(of_term):
                of_term = hidden if len(hidden) else np.zeros((1, states.shape[-1]), dtype=np.float32)
            rows.append(np.asarray(of_term.mean(axis=0), dtype=np.float32))
        return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
