"""Text-to-text models (T5, BART) in training: the target of a window is its text with marks around chemicals.

Inference writes the same text, constrained to copies and marks (`generation`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import AddedToken
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from corpora.errors import OptionError
from nlmchem.companions.studies.text_to_text.generation import DEFAULTS, KEY, TextToTextModel, marked_pieces
from nlmchem.companions.studies.text_to_text.loading import load_text_to_text, read_text_to_text, read_tokenizer
from nlmchem.tagging.inference.labels import OUTSIDE, Scheme, spans_of_roles
from nlmchem.tagging.models.folders import FACTS_FILE, read_facts, readable
from nlmchem.tagging.tokenization.windows import Window, WindowPart, sentence_pieces, stretches
from nlmchem.tagging.tokenization.word_pieces import Encoded, PieceCutter
from nlmchem.tagging.training.base import check_base, copied
from nlmchem.tagging.training.data import IGNORED, Example
from nlmchem.tagging.training.kinds import Fitted, LearnerKind
from nlmchem.tagging.training.learner import Learner
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining, TrainingPlan


def open_marked(base: Path, out: Path) -> Path:
    """The folder of a base model as training reads it: one that names its marks, or a copy of it under `out`.

    A copy has `<chem>` and `</chem>` as new pieces. Raises `ResourceError` if the folder is not a base model.
    """
    check_base(base)
    return base if KEY in read_facts(base) else copied(base, out, _add_marks)


def _add_marks(folder: Path, part: Path) -> None:
    """Write a text-to-text model whose tokenizer and weights have the marks."""
    with readable(folder):
        tokenizer, network = read_tokenizer(folder), read_text_to_text(folder)
    tokenizer.add_special_tokens([AddedToken(DEFAULTS[name]) for name in ("open", "close")])
    rows = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values())
    if rows > network.get_input_embeddings().num_embeddings:
        # New rows are drawn at random.
        torch.manual_seed(0)
        network.resize_token_embeddings(rows)
    network.save_pretrained(part)
    tokenizer.save(str(part / "tokenizer.json"))
    facts = {**read_facts(folder), KEY: DEFAULTS}
    (part / FACTS_FILE).write_text(json.dumps(facts, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def fitted(folder: Path, plan: TrainingPlan) -> Fitted:
    """The plan for a model with marks. Raises as `require_fitting` and `load_text_to_text`."""
    require_fitting(plan.options)
    model = load_text_to_text(folder, window=plan.options.window)
    return Fitted(plan, model.cutter, model.capacity)


def require_fitting(options: TaggerTraining) -> None:
    """Raise `OptionError` for options that only token classifiers have."""
    stages = (options.first, options.second)
    only = {
        "head": options.crf,
        "scheme": options.scheme is not Scheme.BIO,
        "letter_case": options.letter_case,
        "layer_decay": any(stage.layer_decay != 1 for stage in stages),
        "dropout": any(stage.dropout is not None for stage in stages),
    }
    for name, given in only.items():
        if given:
            raise OptionError(name, "is not for text-to-text models; leave the option out")


def text_to_text(base: Path, stage: StageOptions, options: TaggerTraining) -> Learner:
    """A text-to-text model that starts from a base model with marks. Raises as `load_text_to_text`."""
    model = replace(load_text_to_text(base, window=options.window), device=options.device)

    def save(folder: Path) -> dict[str, Any]:
        model.network.save_pretrained(folder)
        model.cutter.tokenizer.save(str(folder / "tokenizer.json"))
        return {KEY: read_facts(base)[KEY], "window": options.window}

    return Learner(TextToTextModule(model.network, stage.smoothing), MarkedCollator(model), lambda: model, save)


class TextToTextModule(nn.Module):
    """A text-to-text network with its loss. `smoothing`: label smoothing."""

    def __init__(self, network: nn.Module, smoothing: float) -> None:
        super().__init__()
        self.network = network
        self.smoothing = smoothing
        self.register_state_dict_post_hook(_without_shared_weights)  # type: ignore[no-untyped-call]

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, decoder_input_ids: Tensor, labels: Tensor, weights: Tensor
    ) -> dict[str, Tensor]:
        """Compute `logits` (windows x pieces x vocabulary) and the `loss`, a mean over the pieces of the targets."""
        given = {"input_ids": input_ids, "attention_mask": attention_mask, "decoder_input_ids": decoder_input_ids}
        logits = self.network(**given, use_cache=False).logits
        each = functional.cross_entropy(
            logits.float().transpose(1, 2), labels, ignore_index=IGNORED, reduction="none",
            label_smoothing=self.smoothing,
        )  # fmt: skip
        return {"loss": (each * weights[:, None]).sum() / (labels != IGNORED).sum().clamp_min(1), "logits": logits}


def _without_shared_weights(_: nn.Module, weights: dict[str, Tensor], *__: Any) -> None:
    """Copy weights that the network uses in two places. Checkpoints are safetensors, which cannot share weights."""
    seen: set[int] = set()
    for name, weight in weights.items():
        if weight.data_ptr() in seen:
            weights[name] = weight.clone()
        seen.add(weight.data_ptr())


@dataclass(frozen=True, slots=True)
class MarkedCollator:
    """Makes one batch of windows, as the model reads and writes them. Pieces without a label do not count."""

    model: TextToTextModel

    def __call__(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        model = self.model
        (before, after), start = model.frame, list(model.start)
        read = [torch.tensor([*before, *model.marks.prefix, *example.ids.tolist(), *after]) for example in examples]
        written = [_target(example, model) for example in examples]
        inputs = pad_sequence(read, batch_first=True, padding_value=model.cutter.padding)
        lengths = torch.tensor([len(row) for row in read])
        return {
            "input_ids": inputs,
            "attention_mask": (torch.arange(inputs.shape[1]) < lengths[:, None]).long(),
            "decoder_input_ids": pad_sequence(
                [torch.tensor(start + pieces) for pieces, _ in written], True, model.cutter.padding
            ),
            "labels": pad_sequence(
                [torch.tensor([IGNORED] * (len(start) - 1) + labels + list(after)) for _, labels in written],
                True,
                IGNORED,
            ),
            "weights": torch.tensor([example.weight for example in examples], dtype=torch.float32),
        }


def _target(example: Example, model: TextToTextModel) -> tuple[list[int], list[int]]:
    """The pieces that the model writes for a window, and their labels: `IGNORED` for pieces without a label."""
    mentions = spans_of_roles(np.where(example.labels == IGNORED, OUTSIDE, example.labels))
    pieces = marked_pieces(example.ids.tolist(), mentions, model.marks)
    shown = np.where(example.labels == IGNORED, IGNORED, example.ids).tolist()
    return pieces, marked_pieces(shown, mentions, model.marks)


def pack_alone(texts: Sequence[str], encoded: Sequence[Encoded], cutter: PieceCutter, size: int) -> list[Window]:
    """Windows without special pieces, of at most `size` pieces of one passage each, as `stretches` divides it."""
    return [
        Window(pieces.ids[first:last], (WindowPart(passage, first, last, 0),))
        for passage, pieces in enumerate(encoded)
        if len(pieces)
        for first, last in stretches(len(pieces), sentence_pieces(texts[passage], pieces), size)
    ]


KIND = LearnerKind(open_marked, fitted, text_to_text, pack_alone)
