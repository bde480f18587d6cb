"""Trains an encoder of sentences so that a sentence with a short form is near the long form that is meant.

The triplet loss of AcroBERT (Chen et al. 2023, section 4: margin 0.2; the other senses of the short form are the hard
negatives), for two vectors and their cosine. A training that is stopped or killed continues from its checkpoint, with
the result of a training that was not stopped.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from corpora.datasets.acronyms import AcronymSample
from corpora.errors import Argument, ConfigurationError, OptionError
from corpora.reporting import Report
from corpora.storage.atomic import replacing_folder
from corpora.storage.owned_files import OwnedFolder
from nlmchem.companions.senses.encoders import SentenceEncoder, longest
from sieves.dense.encoders import CARD, folder_version, open_transformer
from sieves.dense.training import broken_checkpoint

MARGIN = 0.2
NEGATIVES = 2
WARM_UP = 0.1
"""The share of the steps in which the learning rate rises."""
HELD_OUT = 0.1
"""The share of the short forms that are not trained on."""
MOST_HELD_OUT = 1000
"""Samples of them that are scored."""
CHECKPOINT_SECONDS = 300.0
CHECKPOINT, STATE = ".checkpoint", "state.json"
WEIGHTS, MOMENTS = "model.safetensors", "moments.safetensors"


@dataclass(frozen=True, slots=True)
class SentenceTraining:
    """`rate`: of AdamW, after the first steps. `bfloat16`: products of the model are in bfloat16."""

    passes: float = 1.0
    rate: float = 2e-5
    batch: int = 16
    seed: int = 0
    device: str = "cpu"
    bfloat16: bool = False


Triplet = tuple[str, str, tuple[str, ...]]
"""A sentence, the long form that is meant, and `NEGATIVES` others."""


def train_sentences(
    samples: Sequence[AcronymSample],
    base: Path,
    out: Path,
    settings: SentenceTraining,
    report: Report,
    minutes: float | None = None,
) -> dict[str, Any] | None:
    """Train the model in the folder `base`, which is not changed, and write it into the folder `out`.

    Returns its card (`card.json`), which has the accuracy on short forms that were not trained on, before and after;
    None after `minutes`, and the same call continues. Raises `ConfigurationError` for samples without two senses of a
    short form, for a batch of more samples than there are and for a folder of another training, `ResourceError` if
    there is no model.
    """
    owned = OwnedFolder(out)
    digest = _digest(samples, folder_version(base), settings)
    owned.check(CARD)
    if (out / CARD).exists():
        card: dict[str, Any] = json.loads((out / CARD).read_bytes())
        if card.get("training") != digest:
            raise _other_training(out)
        shutil.rmtree(out / CHECKPOINT, ignore_errors=True)
        return card
    training, held = _parts(samples)
    if not training or not held:
        raise ConfigurationError("the samples have too few short forms with several long forms; give more articles")
    if settings.batch > len(training):
        raise OptionError("batch", f"is {settings.batch}, but there are {len(training)} samples; give a smaller number")
    report(f"{len(training):,} samples; {len(held):,} samples of other short forms are held out")
    learner = _EncoderLearner(base, settings, out / CHECKPOINT, digest)
    learner.resume()
    if not learner.train(training, report, None if minutes is None else time.monotonic() + 60 * minutes):
        return None
    with owned.staging() as part:
        learner.model.eval().save_pretrained(part, safe_serialization=True)
        # A tokenizer that was used stores how it padded.
        open_transformer(base)[0].save_pretrained(part)
        card = {
            "what": "the mean of a transformer's vectors of a text; cosine",
            "base": folder_version(base), "training": digest, "settings": asdict(settings), "steps": learner.step,
            "samples": len(training), "held_out_samples": len(held),
            "accuracy_before": accuracy(SentenceEncoder(base), held),
            "accuracy": accuracy(SentenceEncoder(part), held),
            "accuracy_of_the_most_frequent":
                sum(
                    max(sample.candidates, key=lambda sense: sense.popularity).long_form == sample.long_form
                    for sample in held
                ) / len(held),
        }  # fmt: skip
    # The last file: where it is, all are.
    owned.write_text(PurePosixPath(CARD), json.dumps(card, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(out / CHECKPOINT)
    return card


def accuracy(encoder: SentenceEncoder, samples: Sequence[AcronymSample]) -> float:
    """The share of samples, of which there is at least one, whose nearest long form is the right one."""
    names = sorted({sense.long_form for sample in samples for sense in sample.candidates})
    row = {name: number for number, name in enumerate(names)}
    longs, sentences = encoder.encode(names), encoder.encode([_text(sample) for sample in samples])
    right = 0
    for sample, sentence in zip(samples, sentences, strict=True):
        candidates = [sense.long_form for sense in sample.candidates]
        right += candidates[int(np.argmax(longs[[row[name] for name in candidates]] @ sentence))] == sample.long_form
    return right / len(samples)


class _EncoderLearner:
    """A model in training. All that it draws at random depends on the seed and the step only."""

    def __init__(self, base: Path, settings: SentenceTraining, checkpoint: Path, digest: str) -> None:
        import torch

        torch.manual_seed(settings.seed)
        self.tokenizer, self.model = open_transformer(base, settings.device)
        self.step = 0
        self._settings, self._checkpoint, self._digest = settings, checkpoint, digest
        self._optimiser = torch.optim.AdamW(self.model.parameters(), settings.rate)

    def train(self, samples: Sequence[AcronymSample], report: Report, until: float | None) -> bool:
        """Make the steps that are left. Returns False when the time is over."""
        steps = math.ceil(len(samples) * self._settings.passes / self._settings.batch)
        rising = max(1, int(WARM_UP * steps))
        saved, losses = time.monotonic(), []
        for batch in _batches(samples, self._settings, self.step, steps):
            # The learning rate rises, then falls to 0.
            step = self.step
            share = (step + 1) / rising if step < rising else (steps - step) / (steps - rising)
            losses.append(self._learn(batch, share))
            self.step += 1
            now = time.monotonic()
            over = until is not None and now >= until and self.step < steps
            if over or now - saved > CHECKPOINT_SECONDS:
                self.save()
                report(f"step {self.step} of {steps}, loss {sum(losses) / len(losses):.4f}")
                saved, losses = now, []
            if over:
                return False
        self.save()
        return True

    def _learn(self, batch: Sequence[Triplet], share: float) -> float:
        import torch

        # Dropout must not depend on where a training was stopped.
        torch.manual_seed(self._settings.seed * 1_000_003 + self.step)
        self.model.train()
        for group in self._optimiser.param_groups:
            group["lr"] = self._settings.rate * share
        device = torch.device(self._settings.device).type
        with torch.autocast(device, torch.bfloat16, enabled=self._settings.bfloat16):
            sentences = self._vectors([sentence for sentence, _, _ in batch])
            longs = self._vectors([name for _, long, others in batch for name in (long, *others)])
        cosines = (longs.view(len(batch), 1 + NEGATIVES, -1) * sentences[:, None, :]).sum(2)
        loss = torch.relu(MARGIN - cosines[:, :1] + cosines[:, 1:]).sum(1).mean()
        self._optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimiser.step()
        return float(loss.detach())

    def _vectors(self, texts: Sequence[str]) -> Any:
        import torch

        most = longest(self.model)
        pieces = self.tokenizer(list(texts), padding=True, truncation=True, max_length=most, return_tensors="pt")
        pieces = pieces.to(self._settings.device)
        mask = pieces["attention_mask"].unsqueeze(-1)
        means = (self.model(**pieces).last_hidden_state * mask).sum(1) / mask.sum(1)
        return torch.nn.functional.normalize(means.float(), dim=1)

    def save(self) -> None:
        """Replace the checkpoint."""
        from safetensors.torch import save_file

        moments = {
            f"{number}.{name}": value
            for number, state in self._optimiser.state_dict()["state"].items()
            for name, value in state.items()
        }
        with replacing_folder(self._checkpoint) as part:
            save_file({name: tensor.contiguous() for name, tensor in self.model.state_dict().items()}, part / WEIGHTS)
            save_file(moments, part / MOMENTS)
            (part / STATE).write_text(json.dumps({"step": self.step, "training": self._digest}))

    def resume(self) -> None:
        """Continue from the checkpoint, if there is one. Raises `ConfigurationError` for a broken or another one."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        if not self._checkpoint.exists():
            return
        try:
            state = json.loads((self._checkpoint / STATE).read_bytes())
            if state["training"] != self._digest:
                raise _other_training(self._checkpoint.parent)
            self.step = int(state["step"])
            self.model.load_state_dict(load_file(self._checkpoint / WEIGHTS, self._settings.device))
            former = self._optimiser.state_dict()
            for key, value in load_file(self._checkpoint / MOMENTS, self._settings.device).items():
                number, _, name = key.partition(".")
                former["state"].setdefault(int(number), {})[name] = value
            self._optimiser.load_state_dict(former)
        except (OSError, SafetensorError, ValueError, LookupError, TypeError, RuntimeError) as error:
            raise broken_checkpoint(self._checkpoint, error) from error


def _batches(
    samples: Sequence[AcronymSample], settings: SentenceTraining, first: int, steps: int
) -> Iterator[list[Triplet]]:
    """The batches from step `first` on. Each pass has an order and other senses of its own."""
    names = sorted({sense.long_form for sample in samples for sense in sample.candidates})
    order: list[int] = []
    number = -1
    for step in range(first, steps):
        batch: list[Triplet] = []
        for at in range(step * settings.batch, (step + 1) * settings.batch):
            if at // len(samples) != number:
                number = at // len(samples)
                order = random.Random(f"{settings.seed} {number}").sample(range(len(samples)), len(samples))
            sample, chance = samples[order[at % len(samples)]], random.Random(f"{settings.seed} {at}")
            others = [sense.long_form for sense in sample.candidates if sense.long_form != sample.long_form]
            taken = chance.sample(others, min(NEGATIVES, len(others)))
            while len(taken) < NEGATIVES:
                if (name := chance.choice(names)) != sample.long_form:
                    taken.append(name)
            batch.append((_text(sample), sample.long_form, tuple(taken)))
        yield batch


def _text(sample: AcronymSample) -> str:
    return " ".join(sample.tokens)


def _parts(samples: Sequence[AcronymSample]) -> tuple[list[AcronymSample], list[AcronymSample]]:
    """Samples whose short form has several senses: those that are trained on, and some of held-out short forms."""
    usable = [sample for sample in samples if sample.long_form in {sense.long_form for sense in sample.candidates}]
    usable = [sample for sample in usable if len(sample.candidates) > 1]
    held = {short for short in {sample.short_form for sample in usable} if _place(short) < HELD_OUT}
    outside = sorted(
        (sample for sample in usable if sample.short_form in held),
        key=lambda sample: _place(f"{sample.id} {_text(sample)}"),
    )
    return [sample for sample in usable if sample.short_form not in held], outside[:MOST_HELD_OUT]


def _place(text: str) -> float:
    """A number from 0 to 1 that depends on a text only."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]) / 2**64


def _digest(samples: Sequence[AcronymSample], base: str, settings: SentenceTraining) -> str:
    """The sha256 of what a training depends on."""
    digest = hashlib.sha256(json.dumps([base, asdict(settings)]).encode())
    for sample in samples:
        digest.update(json.dumps(asdict(sample)).encode())
    return digest.hexdigest()


def _other_training(folder: Path) -> ConfigurationError:
    return ConfigurationError(
        f"{folder} has a training on other samples or with other options; choose another ", Argument("out")
    )
