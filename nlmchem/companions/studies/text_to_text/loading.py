"""Loads text-to-text models (T5, BART; `generation`).

A folder has config.json, model.safetensors and tokenizer.json, as for other models. Its `nlmchem.json` can
name marks, prefix and window.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from corpora.devices import require_device
from corpora.errors import ConfigurationError, ResourceError
from corpora.extras import require
from nlmchem.companions.studies.text_to_text.generation import KEY, Marks, TextToTextModel
from nlmchem.tagging.inference.labels import LabelSet, Scheme
from nlmchem.tagging.models.folders import (
    DEFAULT_WINDOW,
    FACTS_FILE,
    check_folder,
    quiet_transformers,
    read_facts,
    read_json,
    read_network,
    readable,
    version_of,
)
from nlmchem.tagging.tokenization.word_pieces import PieceCutter

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_LEARNT_POSITIONS = ("bart",)
"""Types that have an embedding for each position, so that no longer text is possible."""
_SPECIAL = 2
"""Special pieces of an input or an output, at most."""
FEWEST = 8
"""Pieces of text in a window."""


def load_text_to_text(path: str | Path, device: str = "cpu", window: int | None = None) -> TextToTextModel:
    """Read a text-to-text model. `window`: pieces in a window (None: as its `nlmchem.json` states).

    Raises `ResourceError` (missing, damaged, a pickle, no such device, marks that its tokenizer does not have) and
    `ConfigurationError` (settings in `nlmchem.json`). The messages contain the folder.
    """
    folder = Path(path)
    check_folder(folder)
    require("torch", "transformers", extra="models", purpose="a text-to-text model")
    require_device(device)
    with readable(folder):
        model = _load(folder, device, window)
        _try(model)
    return model


def _load(folder: Path, device: str, window: int | None) -> TextToTextModel:
    config = read_json(folder / "config.json")
    facts = read_facts(folder)
    tokenizer = read_tokenizer(folder)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    start, frame, padding = _special(config)
    marks = Marks.parse(facts, tokenizer)
    positions = int(config["max_position_embeddings"]) if config.get("model_type") in _LEARNT_POSITIONS else None
    return TextToTextModel(
        name=str(facts.get("name") or folder.resolve().name),
        version=version_of(folder),
        cutter=PieceCutter(tokenizer, frame[1][0], frame[1][0], padding),
        labels=LabelSet.of(Scheme.BIO),
        device=device,
        marks=marks,
        capacity=_capacity(facts if window is None else facts | {"window": window}, marks, positions),
        start=start,
        frame=frame,
        positions=positions,
        network=read_text_to_text(folder).float().to(device).eval(),
    )


def read_tokenizer(folder: Path) -> Tokenizer:
    """The fast tokenizer of a folder. Raises `ResourceError`."""
    from tokenizers import Tokenizer

    if not (folder / "tokenizer.json").is_file():
        raise ResourceError("it has no tokenizer.json; save its fast tokenizer into the folder")
    # For a damaged file, the library raises plain `Exception`. This check comes first and raises `ResourceError`.
    read_json(folder / "tokenizer.json")
    return Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))


def _special(config: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]], int]:
    """The special pieces before an output, those before and after an input, and the padding."""
    bart = config.get("model_type") == "bart"
    end, padding = _piece(config, "eos"), _piece(config, "pad")
    # The default of `transformers`, which does not always write it into config.json.
    start = end if bart else padding
    if config.get("decoder_start_token_id") is not None:
        start = _piece(config, "decoder_start")
    before = (_piece(config, "bos"),) if bart else ()
    return (start, *before), (before, (end,)), padding


def _piece(config: Mapping[str, Any], name: str) -> int:
    number = config.get(f"{name}_token_id")
    if not isinstance(number, int):
        raise ResourceError(f"its config.json has no {name}_token_id; add the number of that piece")
    return number


def _capacity(facts: Mapping[str, Any], marks: Marks, positions: int | None) -> int:
    """The most pieces of text in a window: input and output fit in any case, also if each piece is a mention."""
    window = facts.get("window", DEFAULT_WINDOW)
    if not isinstance(window, int) or isinstance(window, bool):
        raise ConfigurationError(f"the window of its {FACTS_FILE} is {window!r}; give a number of pieces")
    capacity = window - _SPECIAL - len(marks.prefix)
    if positions is not None:
        capacity = min(capacity, positions - _SPECIAL - len(marks.prefix), (positions - _SPECIAL) // marks.most)
    if capacity < FEWEST:
        raise ConfigurationError(
            f"its window leaves {max(0, capacity)} pieces for the text; raise the window in {FACTS_FILE}, "
            f'or shorten the prefix or the marks in "{KEY}"'
        )
    return capacity


def read_text_to_text(folder: Path) -> Any:
    """The network of a folder, of `transformers`. Raises `ResourceError`."""
    quiet_transformers()
    from transformers import AutoModelForSeq2SeqLM

    return read_network(AutoModelForSeq2SeqLM, folder, "; get the model again")


def _try(model: TextToTextModel) -> None:
    """Write a short text: damage that the files do not show is found before any article is read.

    Raises `ResourceError` if a piece has no embedding or no score, or if a score is not a number.
    """
    import torch

    rows = model.network.get_input_embeddings().num_embeddings
    last = max(model.cutter.tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    if last >= rows:
        raise ResourceError(f"its tokenizer has the piece {last}, but its weights have {rows} pieces; get it again")
    ids = model.cutter(["NaCl (2 mg)"])[0].ids[: FEWEST - 1].tolist()
    with torch.inference_mode():
        logits = model.read([*ids, last]).following([*model.start, *ids, last], 0)
    if logits.shape[1] <= last or not np.isfinite(logits).all():
        raise ResourceError("it gives scores that are no numbers, or not for all pieces; get the model again")
