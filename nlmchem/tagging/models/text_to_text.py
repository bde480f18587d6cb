"""Text-to-text models (T5, BART): they write their input again, with marks around chemicals (`marks`).

A folder has config.json, model.safetensors and tokenizer.json, as for other models (`loading`). Its `nlmchem.json` can
name marks, prefix and window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from corpora.errors import ConfigurationError, ResourceError
from corpora.extras import require
from nlmchem.tagging.models.guidelines import following, number_of
from nlmchem.tagging.models.labels import LabelSet, Scheme
from nlmchem.tagging.models.loading import (
    DEFAULT_WINDOW,
    FACTS_FILE,
    Model,
    check_folder,
    load_model,
    quiet_transformers,
    read_json,
    readable,
    require_device,
    require_finite,
    version_of,
)
from nlmchem.tagging.models.marks import KEY, Marks
from nlmchem.tagging.tokenization.windows import padded
from nlmchem.tagging.tokenization.word_pieces import PieceCutter

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["TEXT_TO_TEXT", "Reading", "TextToTextModel", "load_text_to_text", "open_model"]

TEXT_TO_TEXT = ("t5", "mt5", "umt5", "bart")
"""Types of models (`model_type` in config.json)."""
_LEARNT_POSITIONS = ("bart",)
"""Types that have an embedding for each position, so that no longer text is possible."""
_SPECIAL = 2
"""Special pieces of an input or an output, at most."""
FEWEST = 8
"""Pieces of text in a window."""


@dataclass(frozen=True, slots=True)
class TextToTextModel:
    """A loaded text-to-text model. `name`, `version`, `cutter`, `labels` and `device`: as in `Model`.

    `capacity`: the most pieces of text in a window. `start`: the special pieces before each output. `frame`: those
    before and after each input. `positions`: the longest input or output (None: no limit).
    """

    name: str
    version: str
    cutter: PieceCutter
    labels: LabelSet
    device: str
    marks: Marks
    capacity: int
    start: tuple[int, ...]
    frame: tuple[tuple[int, ...], tuple[int, ...]]
    positions: int | None
    network: Any

    def read(self, ids: Sequence[int]) -> Reading:
        """Encode the pieces of a window. Raises `ResourceError` if they are more than `capacity`."""
        if len(ids) > self.capacity:
            raise ResourceError(f"a window has {len(ids)} pieces; the model {self.name} reads {self.capacity}")
        before, after = self.frame
        pieces, mask = self.row([*before, *self.marks.prefix, *ids, *after])
        return Reading(self, self.network.get_encoder()(input_ids=pieces, attention_mask=mask), mask)

    def row(self, ids: Sequence[int]) -> tuple[Tensor, Tensor]:
        """Ids and mask (1 x pieces), padded to a multiple of 16: the length depends on this row alone."""
        import torch

        length = max(len(ids), min(padded(len(ids)), self.positions or padded(len(ids))))
        row = torch.full((1, length), self.cutter.padding, dtype=torch.long)
        row[0, : len(ids)] = torch.tensor(list(ids), dtype=torch.long)
        return row.to(self.device), (torch.arange(length) < len(ids)).long()[None].to(self.device)


@dataclass(frozen=True, slots=True)
class Reading:
    """The states of the encoder for a window, with their mask."""

    model: TextToTextModel
    states: Any
    mask: Tensor

    def following(self, output: Sequence[int], first: int) -> NDArray[np.float32]:
        """What the model would write next: logits (pieces x vocabulary) after each piece of an output from `first`."""
        ids, _ = self.model.row(output)
        found = self.model.network(
            encoder_outputs=self.states, attention_mask=self.mask, decoder_input_ids=ids, use_cache=False
        )
        logits: NDArray[np.float32] = found.logits[0, first : len(output)].float().cpu().numpy()
        return logits


def open_model(
    path: str | Path, device: str = "cpu", arithmetic: str = "float32", guidelines: str | None = None
) -> Model | TextToTextModel:
    """The model in a folder, of any kind. Text-to-text models compute in float32.

    `guidelines`: those that the model follows (None: those of its target). Raises as `load_model`, and
    `ConfigurationError` if the model was not trained with the guidelines.
    """
    folder = Path(path)
    check_folder(folder)
    number = 0 if guidelines is None else number_of(folder, guidelines)
    with readable(folder):
        kind = read_json(folder / "config.json").get("model_type")
    if kind in TEXT_TO_TEXT:
        return load_text_to_text(folder, device)
    return following(load_model(folder, device, arithmetic), number)


def load_text_to_text(path: str | Path, device: str = "cpu") -> TextToTextModel:
    """Read a text-to-text model.

    Raises `ResourceError` (missing, damaged, a pickle, no such device, marks that its tokenizer does not have) and
    `ConfigurationError` (settings in `nlmchem.json`). The messages contain the folder.
    """
    folder = Path(path)
    check_folder(folder)
    require_device(device)
    require("transformers", extra="models", purpose="a text-to-text model")
    with readable(folder):
        model = _load(folder, device)
        _try(model)
    return model


def _load(folder: Path, device: str) -> TextToTextModel:
    from tokenizers import Tokenizer

    config = read_json(folder / "config.json")
    facts = read_json(folder / FACTS_FILE) if (folder / FACTS_FILE).is_file() else {}
    if not (folder / "tokenizer.json").is_file():
        raise ResourceError("it has no tokenizer.json; save its fast tokenizer into the folder")
    # For a damaged file, the library raises plain `Exception`. This check comes first and raises `ResourceError`.
    read_json(folder / "tokenizer.json")
    tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
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
        capacity=_capacity(facts, marks, positions),
        start=start,
        frame=frame,
        positions=positions,
        network=_network(folder, device),
    )


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


def _network(folder: Path, device: str) -> Any:
    quiet_transformers()
    from safetensors import SafetensorError
    from transformers import AutoModelForSeq2SeqLM

    try:
        network, found = AutoModelForSeq2SeqLM.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, use_safetensors=True, output_loading_info=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(f"it cannot be read ({reason}); get the model again") from error
    lacking = sorted(found["missing_keys"])
    if lacking:
        raise ResourceError(f"its weights lack {lacking[0]}; get the model again")
    require_finite(network.state_dict())
    return network.float().to(device).eval()


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
