"""Pretrains the encoder on `text` for a given number of minutes, on a GPU or a CPU.

    PYTHONPATH=.:packed/site python3 benchmarks/train_default/pretrain.py \
        --data packed --base packed/base --out $OUT/run --minutes 9 --device cuda
    python benchmarks/train_default/pretrain.py --data packed --base BASE --out RUN --minutes 60 --device cpu \
        --objective replaced --batch 32 --length 128 --rate 3e-4

`--objective masked` is masked language modelling. `--objective replaced` shows pieces of a bigram model instead of a
fifth of the pieces; the encoder finds them (replaced-token detection, Clark et al. 2020, ELECTRA, with a generator that
costs nothing) and corrects them (Meng et al. 2021, COCO-LM). It learns from every piece and never sees [MASK].

The learning rate rises during the first twentieth of the time and then falls to zero. A second call with the same OUT
continues from its weights, with a new warm-up: weights are stored in half precision, the state of the optimiser is not.
OUT is a model folder: `config.json`, weights, tokenizer. `--data` is the folder of pack.py, which leaves out articles
that are evaluated on.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import shutil
import time
from pathlib import Path

import numpy as np
import torch
from sources import articles_of_text
from torch import Tensor
from torch.nn import functional

from nlmchem.tagging.models.folders import quiet_transformers
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.training.base import open_base

MASKED = 0.2
"""Share of masked pieces (Wettig et al. 2023: more than the 15% of BERT is better)."""
DETECTION = 10.0
"""Weight of the detection of replaced pieces, beside that of their correction."""
STEPS_BETWEEN_LINES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--objective", choices=("masked", "replaced"), default="masked")
    parser.add_argument("--length", type=int, default=256)
    parser.add_argument("--batch", type=int, default=512, help="windows in a batch")
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--articles", type=int, default=0, help="articles of text, for a rehearsal; 0: all")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    quiet_transformers()
    from transformers import AutoModelForMaskedLM, AutoTokenizer, set_seed

    begun = time.monotonic()
    set_seed(given.seed)
    base = given.out if (given.out / "config.json").is_file() else open_base(given.base, given.out.parent)
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, use_safetensors=True, dtype=torch.float32)
    pieces = torch.from_numpy(stream_of(given.data, tokenizer, given.articles)).to(given.device)
    summary = {"pieces": len(pieces), "prepared_s": round(time.monotonic() - begun, 1), "from": str(base)}
    print(json.dumps(summary), flush=True)
    task = Masked(tokenizer, given.device) if given.objective == "masked" else Replaced(tokenizer, model, pieces)
    summary |= pretrain(model.to(given.device), task.to(given.device), tokenizer, pieces, given)
    save(model, tokenizer, given.out, summary)
    print(json.dumps(summary), flush=True)


def stream_of(data: Path, tokenizer: object, articles: int) -> np.ndarray:
    """The pieces of all texts in one array, with a separator between articles."""
    cutter = cutter_of(tokenizer)  # type: ignore[arg-type]
    separator = np.array([cutter.separator], dtype=np.int32)
    found: list[np.ndarray] = []
    waiting: list[str] = []
    for number, article in enumerate(articles_of_text(data)):
        if articles and number >= articles:
            break
        waiting.append(article["text"])
        if len(waiting) == 256:
            found += cut(cutter.tokenizer, waiting, separator)
            waiting = []
    found += cut(cutter.tokenizer, waiting, separator)
    return np.concatenate(found)


def cut(tokenizer: object, texts: list[str], separator: np.ndarray) -> list[np.ndarray]:
    encodings = tokenizer.encode_batch_fast(texts, add_special_tokens=False)  # type: ignore[attr-defined]
    return [part for encoding in encodings for part in (np.array(encoding.ids, dtype=np.int32), separator)]


def pretrain(
    model: torch.nn.Module, task: Masked | Replaced, tokenizer: object, pieces: Tensor, given: argparse.Namespace
) -> dict[str, float]:
    """Train until the time is over; return steps, pieces per second, and the mean loss of the last hundred steps."""
    cuda = given.device.startswith("cuda")
    weights = [*model.parameters(), *task.parameters()]
    optimizer = torch.optim.AdamW(weights, lr=given.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    loss_of = torch.compile(task) if given.compile else task
    generator = torch.Generator(device=given.device).manual_seed(random.randrange(2**31))
    seconds, begun, steps, losses = given.minutes * 60, time.monotonic(), 0, []
    saved = begun
    model.train()
    while (share := (time.monotonic() - begun) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = given.rate * min(share / 0.05 + 0.01, (1 - share) / 0.95)
        ids = windows(pieces, given.batch, given.length, tokenizer, generator)
        shown, places = task.changed(ids, generator)
        with torch.autocast("cuda" if cuda else "cpu", dtype=torch.bfloat16):
            loss = loss_of(model, ids, shown, places)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        losses.append(loss.detach())
        steps += 1
        if steps % STEPS_BETWEEN_LINES == 0:
            losses = losses[-STEPS_BETWEEN_LINES:]
            rate = round(steps * ids.numel() / (time.monotonic() - begun))
            row = {"step": steps, "share": round(share, 3), "loss": mean(losses), "pieces_per_s": rate}
            print(json.dumps(row), flush=True)
        if time.monotonic() - saved > 120:
            save(model, tokenizer, given.out, {"steps": steps, "unfinished": True})
            saved = time.monotonic()
    spent = time.monotonic() - begun
    return {
        "steps": steps,
        "loss": mean(losses[-STEPS_BETWEEN_LINES:]),
        "pieces_per_s": round(steps * given.batch * given.length / spent),
        "passes": round(steps * given.batch * given.length / len(pieces), 2),
    }


def windows(pieces: Tensor, batch: int, length: int, tokenizer: object, generator: torch.Generator) -> Tensor:
    """Random sections of the stream, without padding."""
    starts = torch.randint(len(pieces) - length, (batch, 1), device=pieces.device, generator=generator)
    ids = pieces[starts + torch.arange(length, device=pieces.device)].long()
    ids[:, 0] = tokenizer.cls_token_id  # type: ignore[attr-defined]
    ids[:, -1] = tokenizer.sep_token_id  # type: ignore[attr-defined]
    return ids


class Masked(torch.nn.Module):
    """Masked language modelling: 80% of the drawn pieces are [MASK], 10% another piece, 10% as they are (BERT)."""

    def __init__(self, tokenizer: object, device: str) -> None:
        super().__init__()
        self.special = torch.tensor(sorted(set(tokenizer.all_special_ids)), device=device)  # type: ignore[attr-defined]
        self.mask, self.size = int(tokenizer.mask_token_id), int(tokenizer.vocab_size)  # type: ignore[attr-defined]

    def changed(self, ids: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """The ids with masks, and the flat positions of the drawn pieces (always the same number)."""
        places = drawn(ids, self.special, generator)
        kind = torch.rand(len(places), device=ids.device, generator=generator)
        other = torch.randint(len(self.special), self.size, (len(places),), device=ids.device, generator=generator)
        flat = ids.flatten().clone()
        flat[places] = torch.where(kind < 0.8, self.mask, torch.where(kind < 0.9, other, flat[places]))
        return flat.view_as(ids), places

    def forward(self, model: torch.nn.Module, ids: Tensor, shown: Tensor, places: Tensor) -> Tensor:
        """The loss. Only masked positions go through the output layer."""
        hidden = model.bert(input_ids=shown).last_hidden_state.flatten(0, 1)
        return functional.cross_entropy(model.cls(hidden[places]).float(), ids.flatten()[places])


class Replaced(torch.nn.Module):
    """Detection and correction of pieces that a bigram model of the text has put in the place of others.

    A replaced piece is one that follows another occurrence of its left neighbour, or, for every second piece, precedes
    another occurrence of its right neighbour.
    """

    def __init__(self, tokenizer: object, model: torch.nn.Module, pieces: Tensor) -> None:
        super().__init__()
        self.detector = torch.nn.Linear(model.config.hidden_size, 1)  # type: ignore[union-attr, arg-type]
        self.register_buffer("special", torch.tensor(sorted(set(tokenizer.all_special_ids))))  # type: ignore[attr-defined]
        # Positions of each piece in the text: those of piece p are occurrences[first[p] : first[p + 1]].
        self.register_buffer("occurrences", torch.argsort(pieces, stable=True))
        counts = torch.bincount(pieces, minlength=model.config.vocab_size)  # type: ignore[union-attr]
        self.register_buffer("first", torch.cat([counts.new_zeros(1), counts.cumsum(0)]))
        self.register_buffer("pieces", pieces)

    def changed(self, ids: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """The ids with replaced pieces, and the flat positions of the drawn pieces (always the same number)."""
        places = drawn(ids, self.special, generator)
        flat = ids.flatten().clone()
        chance = torch.rand((2, len(places)), device=ids.device, generator=generator)
        side = torch.where(chance[0] < 0.5, -1, 1)
        # The first and the last piece of a window are special, so every drawn piece has both neighbours.
        neighbour = flat[places + side]
        first = self.first[neighbour]
        number = self.first[neighbour + 1] - first
        found = self.occurrences[(first + chance[1] * number).long().clamp_max(len(self.pieces) - 1)]
        other = self.pieces[(found - side).clamp(0, len(self.pieces) - 1)].long()
        # Special pieces as neighbours do not occur in the text, and separators are not put inside of sentences.
        usable = (number > 0) & ~torch.isin(other, self.special)
        flat[places] = torch.where(usable, other, flat[places])
        return flat.view_as(ids), places

    def forward(self, model: torch.nn.Module, ids: Tensor, shown: Tensor, places: Tensor) -> Tensor:
        """The loss: which pieces are replaced, and which pieces belong in the drawn places."""
        hidden = model.bert(input_ids=shown).last_hidden_state.flatten(0, 1)
        corrected = functional.cross_entropy(model.cls(hidden[places]).float(), ids.flatten()[places])
        wrong = (shown != ids).flatten().float()
        found = functional.binary_cross_entropy_with_logits(self.detector(hidden).squeeze(-1).float(), wrong)
        return corrected + DETECTION * found


def drawn(ids: Tensor, special: Tensor, generator: torch.Generator) -> Tensor:
    """The flat positions of a random share of the pieces (`MASKED`) that are not special."""
    chance = torch.rand(ids.shape, device=ids.device, generator=generator).masked_fill(torch.isin(ids, special), -1.0)
    return chance.flatten().topk(int(ids.numel() * MASKED)).indices


def mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).mean()), 4) if losses else float("nan")


def save(model: torch.nn.Module, tokenizer: object, out: Path, summary: dict[str, object]) -> None:
    """Write a complete model folder with weights in half precision, or no folder."""
    waiting = out.with_name(out.name + ".part")
    shutil.rmtree(waiting, ignore_errors=True)
    # A copy of the model, because tied weights are written once only if they are one tensor.
    copy.deepcopy(model).half().save_pretrained(waiting)
    tokenizer.save_pretrained(str(waiting))  # type: ignore[attr-defined]
    (waiting / "pretraining.json").write_text(json.dumps(summary, indent=1) + "\n")
    shutil.rmtree(out, ignore_errors=True)
    waiting.rename(out)


if __name__ == "__main__":
    main()
