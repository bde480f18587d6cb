"""Trains a base model further on unlabelled articles: it predicts hidden words (Devlin et al. 2019).

    python -m benchmarks.retrain.pretraining --base BASE --data ../shared/data --out OUT --pieces 5000000 [--minutes M]

BASE is a folder of vocabulary.py, and the result OUT/model another one. Whole words are hidden, a fifth of the pieces.
The learning rate follows the pieces, so --pieces is part of the training; with --minutes it stops, and the same command
continues to the same bytes. Articles that share a paragraph with a gold article are left out. The loss is measured on
articles that are not trained on. Two cores make 1,400 pieces a second in float32; where bfloat16 is fast
(`avx512_bf16`, `amx_bf16`), half as many again or more.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.torch import save
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

from benchmarks.retrain.inputs import made_by, report, sha256
from benchmarks.retrain.sources import in_order, is_kept_aside, place_of_text
from benchmarks.retrain.vocabulary import CONTINUED, SPECIAL
from corpora.storage.atomic import replacing_folder, write_bytes
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.tagging.models.folders import quiet_transformers

LENGTH, HIDDEN = 256, 48
"""Pieces of a sequence, and how many of them are hidden."""
HELD_OUT = 128
"""Sequences that the loss is measured on."""
WARMUP, DECAY = 0.06, 0.01
"""The share of the steps in which the rate rises, and the decay of matrices."""
STEPS = 100
"""Steps from one checkpoint and one line to the next."""
CHECKPOINT, SETTINGS = "checkpoint.safetensors", "settings.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Train until the end or the time limit. Returns the exit status: 0 done, 3 stopped by the limit."""
    begun = time.monotonic()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--pieces", type=int, default=5_000_000, help="word pieces to train on")
    parser.add_argument("--batch", type=int, default=16, help=f"sequences of {LENGTH} pieces in a batch")
    parser.add_argument("--rate", type=float, default=4e-4, help="highest learning rate")
    parser.add_argument("--precision", choices=("float32", "bfloat16"), default="bfloat16")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="stop after this time; the same command continues")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args(arguments)
    if (given.out / "model").is_dir():
        report(f"{given.out / 'model'} is complete")
        return 0
    torch.set_num_threads(given.threads)
    quiet_transformers()
    settings = {name: getattr(given, name) for name in ("pieces", "batch", "rate", "precision", "seed")}
    inputs = {"base": sha256(given.base), "text": sha256(place_of_text(given.data))}
    claim(given.out / SETTINGS, settings | inputs)
    tokenizer = Tokenizer.from_file(str(given.base / "tokenizer.json"))
    training = Training(given, tokenizer, sequences(given.data, tokenizer, given.pieces, given.out))
    if not training.run(None if given.minutes is None else begun + 60 * given.minutes):
        report("the time limit stopped the training; run the same command again to continue")
        return INCOMPLETE
    facts = {"held_out_loss": round(training.held_out_loss(), 4), "sequences": len(training.given), **settings}
    hidden = {str(given.base): "BASE", str(given.data): "DATA", str(given.out): "OUT"}
    with replacing_folder(given.out / "model") as part:
        for file in given.base.glob("tokenizer*"):
            shutil.copyfile(file, part / file.name)
        training.model.encoder.save_pretrained(part)
        made = facts | made_by("pretraining", arguments, inputs, hidden)
        (part / "made.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    (given.out / CHECKPOINT).unlink()
    print(json.dumps(facts))
    return 0


def claim(file: Path, settings: dict[str, Any]) -> None:
    """Write the settings of a training, or compare them. Raises `SystemExit` where the folder has another training."""
    if not file.is_file():
        write_bytes(file, json.dumps(settings, indent=1).encode() + b"\n")
    elif (before := json.loads(file.read_bytes())) != settings:
        differing = ", ".join(name for name in settings if settings[name] != before.get(name))
        raise SystemExit(f"{file.parent} has a training with another {differing}; give another --out")


def sequences(data: Path, tokenizer: Tokenizer, pieces: int, out: Path) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The sequences that are held out, and those to train on: of as many articles as `pieces` need, or of all."""
    stored = out / "sequences.npz"
    if not stored.is_file():
        first, last = (tokenizer.token_to_id(SPECIAL[number]) for number in (2, 3))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        ids = array("i"), array("i")
        wanted = HELD_OUT * (LENGTH - 2), pieces
        for article in in_order(data):
            side = 0 if is_kept_aside(article["id"]) else 1
            if len(ids[side]) < wanted[side]:
                for encoding in tokenizer.encode_batch_fast(article["text"].split("\n"), add_special_tokens=False):
                    ids[side].extend(encoding.ids)
        packed = []
        for flat in ids:
            rows = np.array(flat[: len(flat) // (LENGTH - 2) * (LENGTH - 2)], np.int32).reshape(-1, LENGTH - 2)
            packed.append(np.insert(np.insert(rows, LENGTH - 2, last, axis=1), 0, first, axis=1))
        if not len(packed[1]):
            raise SystemExit(f"{place_of_text(data)} has fewer than {LENGTH} word pieces to train on; give more text")
        out.mkdir(parents=True, exist_ok=True)
        partial = out / "partial.npz"
        np.savez(partial, held_out=packed[0][:HELD_OUT], given=packed[1])
        partial.replace(stored)
    with np.load(stored) as arrays:
        return arrays["held_out"], arrays["given"]


class HiddenWords(nn.Module):
    """An encoder that predicts hidden pieces, with the embeddings of its pieces as the last matrix."""

    def __init__(self, base: Path) -> None:
        from transformers import AutoModel

        super().__init__()
        # The fused attention of torch has a slow gradient in bfloat16.
        self.encoder: Any = AutoModel.from_pretrained(
            base, local_files_only=True, use_safetensors=True, add_pooling_layer=False, attn_implementation="eager",
            dtype=torch.float32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
        )  # fmt: skip
        width, pieces = self.encoder.config.hidden_size, self.encoder.config.vocab_size
        self.head = nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.LayerNorm(width, eps=1e-12))
        self.bias = nn.Parameter(torch.zeros(pieces))

    def forward(self, ids: Tensor, places: Tensor, answers: Tensor) -> Tensor:
        """The mean loss at `places` (sequences x hidden), where the pieces `answers` stood."""
        states = self.encoder(input_ids=ids).last_hidden_state
        chosen = states[torch.arange(len(ids))[:, None], places].flatten(0, 1)
        scores = functional.linear(self.head(chosen), self.encoder.get_input_embeddings().weight, self.bias)
        return functional.cross_entropy(scores.float(), answers.flatten())


def hidden(ids: Tensor, continues: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """Hide whole words: the ids that the model sees, the places of hidden pieces, and what stood there.

    The number of hidden pieces is fixed, so the last word may be hidden in part. 80% of them become [MASK], 10% another
    piece, and 10% stay. `continues`: for each piece of the vocabulary, whether it continues a word.
    """
    words = (~continues[ids]).cumsum(1)
    order = torch.rand(ids.shape[0], ids.shape[1] + 1, generator=generator).gather(1, words)
    order[ids < len(SPECIAL)] = -1
    places = order.topk(min(HIDDEN, ids.shape[1] // 5), 1).indices
    answers = ids.gather(1, places)
    kind = torch.rand(answers.shape, generator=generator)
    other = torch.randint(len(SPECIAL), len(continues), answers.shape, generator=generator)
    shown = torch.where(kind < 0.8, torch.full_like(answers, SPECIAL.index("[MASK]")), answers)
    shown = torch.where((kind >= 0.8) & (kind < 0.9), other, shown)
    return ids.scatter(1, places, shown), places, answers


class Training:
    """The model, its optimizer and the number of steps made, from the checkpoint if there is one."""

    def __init__(
        self, given: argparse.Namespace, tokenizer: Tokenizer, data: tuple[NDArray[np.int32], NDArray[np.int32]]
    ) -> None:
        torch.manual_seed(given.seed)
        self.options, (self.aside, self.given) = given, data
        self.steps = max(1, given.pieces // (given.batch * LENGTH))
        self.step = 0
        vocabulary = sorted(tokenizer.get_vocab(), key=tokenizer.get_vocab().__getitem__)
        if tuple(vocabulary[: len(SPECIAL)]) != SPECIAL:
            raise SystemExit(f"{given.base} must begin with the pieces {' '.join(SPECIAL)}; make it with vocabulary.py")
        self._continues = torch.tensor([piece.startswith(CONTINUED) for piece in vocabulary])
        self.model = HiddenWords(given.base).train()
        groups = [
            {"params": [p for p in self.model.parameters() if (p.ndim > 1) is matrix], "weight_decay": decay}
            for matrix, decay in ((True, DECAY), (False, 0.0))
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=given.rate, betas=(0.9, 0.98), eps=1e-6)
        self._file = given.out / CHECKPOINT
        if self._file.is_file():
            self._read()

    def run(self, until: float | None) -> bool:
        """Make the remaining steps. Returns whether all are made: `until` is the time (`time.monotonic`) to stop."""
        begun, first, losses = time.monotonic(), self.step, list[float]()
        while self.step < self.steps:
            losses.append(self._one_step())
            self.step += 1
            late = until is not None and time.monotonic() >= until
            if late or self.step % STEPS == 0 or self.step == self.steps:
                self._write()
                rate = (self.step - first) * self.options.batch * LENGTH / (time.monotonic() - begun)
                mean = sum(losses) / len(losses)
                report(f"step {self.step} of {self.steps}, loss {mean:.3f}, {rate:,.0f} pieces/s")
                losses.clear()
            if late and self.step < self.steps:
                return False
        return True

    @torch.no_grad()
    def held_out_loss(self) -> float:
        generator = torch.Generator().manual_seed(0)
        losses = [
            self._loss(self.aside[at : at + self.options.batch], generator).item()
            for at in range(0, len(self.aside), self.options.batch)
        ]
        return sum(losses) / max(1, len(losses))

    def _one_step(self) -> float:
        """Of the passes over the sequences each has an order of its own, which depends on the seed only."""
        batch, size, seed = self.options.batch, len(self.given), self.options.seed
        passes, places = np.divmod(np.arange(self.step * batch, (self.step + 1) * batch), size)
        orders = {number: np.random.default_rng([seed, number]).permutation(size) for number in set(passes.tolist())}
        rows = [orders[number][place] for number, place in zip(passes.tolist(), places, strict=True)]
        share = self.step / self.steps
        for group in self._optimizer.param_groups:
            group["lr"] = self.options.rate * min((share + 1 / self.steps) / WARMUP, (1 - share) / (1 - WARMUP))
        loss = self._loss(self.given[rows], torch.Generator().manual_seed(seed * 1_000_003 + self.step))
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self._optimizer.zero_grad(set_to_none=True)
        return loss.item()

    def _loss(self, rows: NDArray[np.int32], generator: torch.Generator) -> Tensor:
        ids = torch.from_numpy(rows.astype(np.int64))
        with torch.autocast("cpu", torch.bfloat16, enabled=self.options.precision == "bfloat16"):
            loss: Tensor = self.model(*hidden(ids, self._continues, generator))
        return loss

    def _write(self) -> None:
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for number, state in self._optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
        write_bytes(self._file, save(tensors, {"step": str(self.step)}))

    def _read(self) -> None:
        with safe_open(self._file, "pt") as stored:
            self.step = int(stored.metadata()["step"])
            tensors = {name: stored.get_tensor(name) for name in stored.offset_keys()}
        model = {name.removeprefix("model."): tensor for name, tensor in tensors.items() if name.startswith("model.")}
        self.model.load_state_dict(model)
        states: dict[int, dict[str, Tensor]] = {}
        for name in tensors.keys() - {f"model.{name}" for name in model}:
            _, number, key = name.split(".")
            states.setdefault(int(number), {})[key] = tensors[name]
        self._optimizer.load_state_dict({**self._optimizer.state_dict(), "state": states})


if __name__ == "__main__":
    sys.exit(main())
