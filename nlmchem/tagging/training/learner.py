"""What a stage trains, independent of the kind of model. Here: token classifiers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from corpora.errors import ResourceError
from nlmchem.tagging.gazetteer.classes import CLASSES
from nlmchem.tagging.inference.labels import LabelSet
from nlmchem.tagging.inference.scoring import Model, TokenClassifier
from nlmchem.tagging.models.folders import CRF_FILE, GUIDELINES, read_json
from nlmchem.tagging.models.loading import classes_of, cutter_of, longest_window
from nlmchem.tagging.models.torch_networks import computed, network_of
from nlmchem.tagging.training.base import base_tokenizer, guidelines_of
from nlmchem.tagging.training.data import Example
from nlmchem.tagging.training.module import Collator, TaggerModule, make_module, merge_kinds
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining
from nlmchem.tagging.training.teaching import teacher_of


@dataclass(frozen=True, slots=True)
class Learner:
    """A module with its loss (`forward` returns it), its batches, and what it becomes.

    `model`: the module as it is now, as a model that a tagger can use. `save`: writes weights, configuration and
    tokenizer into a folder, and returns what its `nlmchem.json` states.
    """

    module: nn.Module
    collate: Callable[[Sequence[Example]], dict[str, Tensor]]
    model: Callable[[], Model]
    save: Callable[[Path], dict[str, Any]]


def token_classifier(base: Path, stage: StageOptions, options: TaggerTraining) -> Learner:
    """A token classifier that starts from a base model. Raises `ResourceError` if the base cannot be used."""
    tokenizer = base_tokenizer(base)
    module = make_module(
        base, options.scheme, options.crf, stage.smoothing, stage.dropout, stage.attention_dropout, options.letter_case,
        CLASSES if options.gazetteer else 1, guidelines_of(base, options.guidelines), _attention(options),
    )  # fmt: skip
    module.masking, module.mask = stage.masking, _mask_piece(tokenizer, stage, base)
    module.taught = options.taught
    _copy_transitions(module, base)
    return Learner(
        module,
        Collator(cutter_of(tokenizer).padding, teacher_of(base, options)),
        lambda: _as_model(module, tokenizer, base, options),
        lambda folder: _save(module, tokenizer, folder, options),
    )


def _attention(options: TaggerTraining) -> str | None:
    """Two products instead of the fused function in bfloat16 on a CPU: the gradient of that one is slow there."""
    return "eager" if options.device == "cpu" and options.precision == "bfloat16" else None


def _mask_piece(tokenizer: PreTrainedTokenizerBase, stage: StageOptions, base: Path) -> int:
    if tokenizer.mask_token_id is None and stage.masking:
        raise ResourceError(f"the tokenizer of {base} has no [MASK]; train without masking")
    return int(tokenizer.mask_token_id or 0)


def _copy_transitions(module: TaggerModule, base: Path) -> None:
    """Start from the CRF transitions of the base, if it has any for the same labels."""
    if module.crf is not None and (base / CRF_FILE).is_file():
        learned = load_file(base / CRF_FILE)["transitions"]
        if learned.shape == module.crf.transitions.shape:
            with torch.no_grad():
                module.crf.transitions.copy_(learned)


def _as_model(
    module: TaggerModule, tokenizer: PreTrainedTokenizerBase, base: Path, options: TaggerTraining
) -> TokenClassifier:
    transitions = None if module.crf is None else module.crf.transitions.detach().float().cpu().numpy()
    network = partial(computed, options.device, network_of(module.classifier, module.cased))
    cutter = cutter_of(tokenizer, module.cased, classes_of({"gazetteer": options.gazetteer}))
    window = min(options.window, longest_window(read_json(base / "config.json")))
    labels = LabelSet.of(options.scheme)
    return TokenClassifier("in training", "0" * 64, cutter, network, labels, window, options.device, transitions)


def _save(
    module: TaggerModule, tokenizer: PreTrainedTokenizerBase, folder: Path, options: TaggerTraining
) -> dict[str, Any]:
    merge_kinds(module.classifier)
    module.classifier.save_pretrained(folder)  # type: ignore[operator]
    tokenizer.save_pretrained(str(folder))
    if module.crf is not None:
        save_file({"transitions": module.crf.transitions.detach().cpu().contiguous()}, folder / CRF_FILE)
    return {
        "head": "crf" if options.crf else "linear",
        "window": min(options.window, longest_window(read_json(folder / "config.json"))),
        "letter_case": options.letter_case,
        **({"gazetteer": True, GUIDELINES: ["", *options.guidelines]} if options.gazetteer else {}),
    }
