"""What a stage trains: a token classifier that starts from a base model, its loss, its batches, and how it is saved.

One piece has one number, (guidelines x classes + class) x `CASES` + case, as `PieceCutter` joins them. In training the
three have tables of their own (`PieceKinds`), whose rows are added, so that rare combinations learn from frequent ones.
A finished model has one table with all sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModelForTokenClassification

from corpora.errors import Argument, ConfigurationError, ResourceError
from nlmchem.tagging.gazetteer.classes import CLASSES
from nlmchem.tagging.inference.labels import BEGIN, INSIDE, OWN_LABELS, OWN_NAMES, LabelSet, label_names
from nlmchem.tagging.inference.scoring import Model, TokenClassifier
from nlmchem.tagging.models.folders import GUIDELINES, read_json
from nlmchem.tagging.models.loading import classes_of, cutter_of, longest_window
from nlmchem.tagging.models.torch_networks import computed, network_of
from nlmchem.tagging.tokenization.windows import padded
from nlmchem.tagging.tokenization.word_pieces import CASES
from nlmchem.tagging.training.data import IGNORED, Example
from nlmchem.tagging.training.folders import base_tokenizer, guidelines_of
from nlmchem.tagging.training.plan import StageOptions, TaggerTraining


class Learner:
    """What a stage trains: a token classifier that starts from a base model.

    Raises `ResourceError` if the base cannot be used.
    """

    def __init__(self, base: Path, stage: StageOptions, options: TaggerTraining) -> None:
        self._base, self._options = base, options
        self._tokenizer = base_tokenizer(base)
        self._padding = cutter_of(self._tokenizer).padding
        self.module = make_module(base, options, stage.dropout)

    def collate(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        """One batch, padded to the length of the longest window, rounded up to a multiple of 16."""
        shape = len(examples), padded(max(len(example.ids) for example in examples))
        ids = torch.full(shape, self._padding, dtype=torch.long)
        mask = torch.zeros(shape, dtype=torch.long)
        labels = torch.full(shape, IGNORED, dtype=torch.long)
        for row, example in enumerate(examples):
            size = len(example.ids)
            ids[row, :size] = torch.from_numpy(example.ids)
            mask[row, :size] = 1
            labels[row, :size] = torch.from_numpy(example.labels)
        weights = torch.tensor([example.weight for example in examples], dtype=torch.float32)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels, "weights": weights}

    def model(self) -> Model:
        """The module as it is now, as a model that a tagger can use."""
        options, module = self._options, self.module
        network = partial(computed, options.device, network_of(module.classifier, module.cased))
        cutter = cutter_of(self._tokenizer, module.cased, classes_of({"gazetteer": options.gazetteer}))
        window = min(options.window, longest_window(read_json(self._base / "config.json")))
        return TokenClassifier("in training", "0" * 64, cutter, network, OWN_LABELS, window, options.device)

    def save(self, folder: Path) -> dict[str, Any]:
        """Write weights, configuration and tokenizer into a folder. Returns what its `nlmchem.json` states."""
        options = self._options
        classifier: Any = self.module.classifier
        embeddings = classifier.base_model.embeddings
        kinds = getattr(embeddings, "token_type_embeddings", None)
        if isinstance(kinds, PieceKinds):
            merged = nn.Embedding(kinds.rows, kinds.cases.shape[1])
            with torch.no_grad():
                merged.weight[:] = kinds.table()
            embeddings.token_type_embeddings = merged
        classifier.save_pretrained(folder)
        self._tokenizer.save_pretrained(str(folder))
        return {
            "window": min(options.window, longest_window(read_json(folder / "config.json"))),
            "letter_case": options.letter_case,
            **({"gazetteer": True, GUIDELINES: ["", *options.guidelines]} if options.gazetteer else {}),
        }


class TaggerModule(nn.Module):
    """A token classifier with its loss.

    `cased`: the size of the vocabulary if ids contain the letter case of each piece (`letter_case`), else 0.
    """

    def __init__(self, classifier: nn.Module, cased: int = 0) -> None:
        super().__init__()
        self.classifier = classifier
        self.cased = cased

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, labels: Tensor | None = None, weights: Tensor | None = None
    ) -> dict[str, Tensor]:
        """Compute `logits` (windows x pieces x roles) and, if labels are given, the `loss` (a mean over pieces)."""
        logits = network_of(self.classifier, self.cased)(input_ids, attention_mask)
        if labels is None:
            return {"logits": logits}
        if weights is None:
            weights = torch.ones(len(labels), device=labels.device)
        each = functional.cross_entropy(logits.float().transpose(1, 2), labels, ignore_index=IGNORED, reduction="none")
        total = (each * weights[:, None]).sum()
        return {"loss": total / (labels != IGNORED).sum().clamp_min(1), "logits": logits}


def make_module(base: Path, options: TaggerTraining, dropout: float | None = None) -> TaggerModule:
    """A module on top of a base model. Raises `ResourceError`.

    If the base is a tagger, training starts from its head, whatever its label scheme. Otherwise the head is new. Letter
    case, gazetteer and guidelines change the output only after training.
    """
    # Without dropout of attention torch has a fused function on a CPU: 1.5 times as fast (6 layers of 384, 2 cores).
    changes: dict[str, Any] = {
        "id2label": dict(enumerate(OWN_NAMES)),
        "label2id": {name: number for number, name in enumerate(OWN_NAMES)},
        "attention_probs_dropout_prob": 0.0,
    }
    if dropout is not None:
        changes["hidden_dropout_prob"] = dropout
    if options.device == "cpu" and options.precision == "bfloat16":
        # Two products instead of that function, whose gradient is slow in bfloat16.
        changes["attn_implementation"] = "eager"
    try:
        classifier: Any = AutoModelForTokenClassification.from_pretrained(
            base,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            ignore_mismatched_sizes=True,
            dtype=torch.float32,
            **changes,
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ResourceError(f"the base model {base} cannot be read ({reason}); get the model again") from error
    rows, weights = _rows(read_json(base / "config.json")), base / "model.safetensors"
    if rows is not None and weights.is_file():
        # `from_pretrained` copies a head of the same size without looking at the order of its labels.
        head = {"classifier.weight", "classifier.bias"}
        with safe_open(weights, "pt") as stored:
            given = {name: stored.get_tensor(name).float() for name in head & set(stored.keys())}
        with torch.no_grad():
            for name, weight in classifier.named_parameters():
                if name in given:
                    weight.copy_(given[name][rows])
    if not options.letter_case:
        return TaggerModule(classifier)
    # Cases, classes and guidelines take the place of segments.
    embeddings = classifier.base_model.embeddings
    segments = getattr(embeddings, "token_type_embeddings", None)
    if segments is None:
        raise ResourceError(
            f"the base model {base} has no segment embeddings, which ",
            Argument("letter_case", True),
            " needs; leave the option out",
        )
    kinds = PieceKinds.of(
        segments.weight.detach(), CLASSES if options.gazetteer else 1, guidelines_of(base, options.guidelines)
    )
    embeddings.token_type_embeddings, classifier.config.type_vocab_size = kinds, kinds.rows
    return TaggerModule(classifier, int(classifier.config.vocab_size))


def _rows(config: Mapping[str, Any]) -> list[int] | None:
    """The labels of the base that O, B and I start from; None if the base has no BIO labels of chemicals."""
    try:
        names = label_names(config)
        roles = list(LabelSet.parse(names).roles)
    except ConfigurationError:
        return None
    # Labels of other entity types count as outside, but the outside row must be that of O.
    outside = next((number for number, name in sorted(names.items()) if name.upper()[:1] == "O"), None)
    if BEGIN not in roles or outside is None:
        return None
    return [outside, roles.index(BEGIN), roles.index(INSIDE)]


class PieceKinds(nn.Module):
    """Three tables: cases (`CASES` x width), classes (classes x width) and guidelines (guidelines x width)."""

    def __init__(self, width: int, classes: int, guidelines: int) -> None:
        super().__init__()
        self.cases = nn.Parameter(torch.zeros(CASES, width))
        self.classes = nn.Parameter(torch.zeros(classes, width))
        self.guidelines = nn.Parameter(torch.zeros(guidelines, width))

    @classmethod
    def of(cls, rows: Tensor, classes: int, guidelines: Sequence[int]) -> PieceKinds:
        """Tables from those of a base model: segments (2 x width), cases, or all combinations.

        `guidelines`: for each of them, the number of the guidelines of the base that it starts from; 0, those of the
        target, for new ones.
        """
        kinds = cls(rows.shape[1], classes, len(guidelines))
        with torch.no_grad():
            kinds.cases[:] = rows[0] if len(rows) < CASES else rows[:CASES]
            if len(rows) >= CASES * classes:
                kinds.classes[:] = rows[: CASES * classes : CASES] - rows[0]
            for at, source in enumerate(guidelines):
                if source:
                    kinds.guidelines[at] = rows[source * CASES * classes] - rows[0]
        return kinds

    @property
    def rows(self) -> int:
        """The number of combinations."""
        return len(self.guidelines) * len(self.classes) * CASES

    def table(self) -> Tensor:
        """The embeddings of all combinations (`rows` x width)."""
        sums = self.guidelines[:, None, None] + self.classes[None, :, None] + self.cases[None, None]
        return sums.reshape(self.rows, -1)

    def forward(self, kinds: Tensor) -> Tensor:
        """The embeddings (... x width) of the numbers of pieces (...)."""
        return functional.embedding(kinds, self.table())
