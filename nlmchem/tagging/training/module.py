"""The module that is trained: a token classifier, optionally with a CRF, and its loss.

One piece has one number, (guidelines x classes + class) x `CASES` + case, as `PieceCutter` joins them. In training the
three have tables of their own (`PieceKinds`), whose rows are added, so that rare combinations learn from frequent ones.
A finished model has one table with all sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional
from transformers import AutoModelForTokenClassification

from corpora.errors import Argument, ConfigurationError, ResourceError
from nlmchem.tagging.gazetteer.classes import CLASSES
from nlmchem.tagging.inference.labels import BEGIN, INSIDE, LAST, OUTSIDE, UNIT, LabelSet, Scheme, label_names, legal
from nlmchem.tagging.inference.scoring import FORBIDDEN
from nlmchem.tagging.models.folders import CRF_FILE, read_json
from nlmchem.tagging.models.torch_networks import network_of
from nlmchem.tagging.tokenization.windows import padded
from nlmchem.tagging.tokenization.word_pieces import CASES
from nlmchem.tagging.training.data import IGNORED, Example
from nlmchem.tagging.training.folders import guidelines_of
from nlmchem.tagging.training.plan import TaggerTraining

_HEAD = ("classifier.weight", "classifier.bias")
_IN_BIO = {LAST: INSIDE, UNIT: BEGIN}


class TaggerModule(nn.Module):
    """A token classifier with its loss.

    `cased`: the size of the vocabulary if ids contain the letter case of each piece (`letter_case`), else 0.
    """

    def __init__(self, classifier: nn.Module, crf: Crf | None, cased: int = 0) -> None:
        super().__init__()
        self.classifier = classifier
        self.crf = crf
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
        counted = labels != IGNORED
        if self.crf is not None:
            losses: Tensor = self.crf(logits, labels.clamp_min(0), attention_mask)
            total = (losses * (weights * counted.sum(1))).sum()
        else:
            each = functional.cross_entropy(
                logits.float().transpose(1, 2), labels, ignore_index=IGNORED, reduction="none"
            )
            total = (each * weights[:, None]).sum()
        return {"loss": total / counted.sum().clamp_min(1), "logits": logits}


class Collator:
    """Makes one batch of examples, padded to the length of the longest window, rounded up to a multiple of 16."""

    def __init__(self, padding: int) -> None:
        self._padding = padding

    def __call__(self, examples: Sequence[Example]) -> dict[str, Tensor]:
        length = padded(max(len(example.ids) for example in examples))
        ids = torch.full((len(examples), length), self._padding, dtype=torch.long)
        mask = torch.zeros((len(examples), length), dtype=torch.long)
        labels = torch.full((len(examples), length), IGNORED, dtype=torch.long)
        for row, example in enumerate(examples):
            size = len(example.ids)
            ids[row, :size] = torch.from_numpy(example.ids)
            mask[row, :size] = 1
            labels[row, :size] = torch.from_numpy(example.labels)
        weights = torch.tensor([example.weight for example in examples], dtype=torch.float32)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels, "weights": weights}


def make_module(base: Path, options: TaggerTraining, dropout: float | None = None) -> TaggerModule:
    """A module on top of a base model. Raises `ResourceError`.

    If the base is a tagger, training starts from its head, whatever its label scheme. Otherwise the head is new. Letter
    case, gazetteer and guidelines change the output only after training.
    """
    names = options.scheme.names
    # Without dropout of attention torch has a fused function on a CPU: 1.5 times as fast (6 layers of 384, 2 cores).
    changes: dict[str, Any] = {
        "id2label": dict(enumerate(names)),
        "label2id": {name: number for number, name in enumerate(names)},
        "attention_probs_dropout_prob": 0.0,
    }
    if dropout is not None:
        changes["hidden_dropout_prob"] = dropout
    if options.device == "cpu" and options.precision == "bfloat16":
        # Two products instead of that function, whose gradient is slow in bfloat16.
        changes["attn_implementation"] = "eager"
    try:
        classifier = AutoModelForTokenClassification.from_pretrained(
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
    _copy_head(classifier, base, options.scheme)
    crf = Crf(options.scheme) if options.crf else None
    if crf is not None and (base / CRF_FILE).is_file():
        # Start from the transitions of the base, if it has any for the same labels.
        learned = load_file(base / CRF_FILE)["transitions"]
        if learned.shape == crf.transitions.shape:
            with torch.no_grad():
                crf.transitions.copy_(learned)
    return TaggerModule(classifier, crf, _with_kinds(classifier, base, options) if options.letter_case else 0)


def _copy_head(classifier: Any, base: Path, scheme: Scheme) -> None:
    """Copy the head of the base, for each role the row of the same role. L and U use the rows of I and B if needed.

    `from_pretrained` copies a head of the same size without looking at the order of its labels.
    """
    weights, config = base / "model.safetensors", read_json(base / "config.json")
    rows = _rows(config, scheme)
    if rows is None or not weights.is_file():
        return
    with safe_open(weights, "pt") as stored:
        given = {name: stored.get_tensor(name).float() for name in set(_HEAD) & set(stored.keys())}
    with torch.no_grad():
        for name, weight in classifier.named_parameters():
            if name in given:
                weight.copy_(given[name][rows])


def _rows(config: Mapping[str, Any], scheme: Scheme) -> list[int] | None:
    """The label of the base that each role starts from; None if the base has no BIO labels of chemicals."""
    try:
        names = label_names(config)
        roles = list(LabelSet.parse(names).roles)
    except ConfigurationError:
        return None
    if BEGIN not in roles:
        return None
    # Labels of other entity types count as outside, but the outside row must be that of O.
    plain = [number for number, name in enumerate(names[key] for key in sorted(names)) if name.upper()[:1] == "O"]
    if not plain:
        return None
    sources = [role if role in roles else _IN_BIO[role] for role in range(scheme.size)]
    return [plain[0] if role == OUTSIDE else roles.index(role) for role in sources]


def _with_kinds(classifier: Any, base: Path, options: TaggerTraining) -> int:
    """Replace the embeddings of segments by those of cases, classes and guidelines; return the vocabulary size."""
    embeddings = classifier.base_model.embeddings
    segments = getattr(embeddings, "token_type_embeddings", None)
    if segments is None:
        raise ResourceError(
            f"the base model {base} has no segment embeddings, which ",
            Argument("letter_case", True),
            " needs; leave the option out",
        )
    embeddings.token_type_embeddings = PieceKinds.of(
        segments.weight.detach(), CLASSES if options.gazetteer else 1, guidelines_of(base, options.guidelines)
    )
    classifier.config.type_vocab_size = embeddings.token_type_embeddings.rows
    return int(classifier.config.vocab_size)


class Crf(nn.Module):
    """A linear-chain CRF over word pieces (Lafferty et al. 2001; over BERT: Almeida et al. 2022).

    Special pieces have the label `O` and are part of the chain.
    """

    def __init__(self, scheme: Scheme) -> None:
        super().__init__()
        between, _, _, _ = legal(scheme)
        self.transitions = nn.Parameter(torch.zeros(between.shape))
        self.illegal: Tensor
        self.register_buffer("illegal", torch.from_numpy(~between), persistent=False)

    def forward(self, emissions: Tensor, roles: Tensor, mask: Tensor) -> Tensor:
        """Negative log-likelihood per piece, for each window.

        `emissions`: windows x pieces x roles; `roles`: windows x pieces, legal sequences; `mask`: 1 on pieces, 0
        on padding, which is at the right.
        """
        emissions = emissions.float()
        weights = self.transitions.masked_fill(self.illegal, FORBIDDEN)
        shown = mask.bool()
        given = emissions.gather(2, roles[..., None]).squeeze(2) * shown
        steps = weights[roles[:, :-1], roles[:, 1:]] * shown[:, 1:]
        likelihood = given.sum(1) + steps.sum(1) - self._partition(emissions, weights, shown)
        return -likelihood / shown.sum(1)

    @staticmethod
    def _partition(emissions: Tensor, weights: Tensor, shown: Tensor) -> Tensor:
        forward = emissions[:, 0]
        for at in range(1, emissions.shape[1]):
            following = torch.logsumexp(forward[:, :, None] + weights[None], dim=1) + emissions[:, at]
            forward = torch.where(shown[:, at, None], following, forward)
        return torch.logsumexp(forward, dim=1)


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
            if len(rows) < CASES:
                kinds.cases[:] = rows[0]
            else:
                kinds.cases[:] = rows[:CASES]
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


def merge_kinds(classifier: Any) -> None:
    """Replace the three tables of a classifier by one table of all combinations, as finished models have it."""
    embeddings = classifier.base_model.embeddings
    kinds = getattr(embeddings, "token_type_embeddings", None)
    if isinstance(kinds, PieceKinds):
        merged = nn.Embedding(kinds.rows, kinds.cases.shape[1])
        with torch.no_grad():
            merged.weight[:] = kinds.table()
        embeddings.token_type_embeddings = merged
