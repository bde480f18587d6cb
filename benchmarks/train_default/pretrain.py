"""Pretrains the encoder on `text` by masked language modelling, for a given number of minutes.

    PYTHONPATH=.:packed/site python3 benchmarks/train_default/pretrain.py \
        --data packed --base packed/base --out $OUT/run --minutes 9 --device cuda

The learning rate rises during the first twentieth of the time and then falls to zero. A second call with the same OUT
continues from its weights, with a new warm-up: weights are stored in half precision, the state of the optimiser is not.
OUT is a model folder: `config.json`, weights, tokenizer. Needs a GPU and the folder of pack.py.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import shutil
import time
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import torch
from sources import articles_of_text
from torch import Tensor
from torch.nn import functional

from nlmchem.tagging.models.loading import cutter_of, quiet_transformers
from nlmchem.tagging.training.base import open_base

MASKED = 0.2
"""Share of masked pieces (Wettig et al. 2023: more than the 15% of BERT is better)."""
STEPS_BETWEEN_LINES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--device", default="cuda")
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
    summary |= pretrain(model.to(given.device), tokenizer, pieces, given)
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


def pretrain(model: torch.nn.Module, tokenizer: object, pieces: Tensor, given: argparse.Namespace) -> dict[str, float]:
    """Train until the time is over; return steps, pieces per second, and the mean loss of the last hundred steps."""
    cuda = given.device.startswith("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=given.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=cuda)
    special = torch.tensor(sorted(set(tokenizer.all_special_ids)), device=given.device)  # type: ignore[attr-defined]
    step_of = torch.compile(loss_of) if given.compile else loss_of
    half = torch.autocast("cuda", dtype=torch.bfloat16) if cuda else nullcontext()
    generator = torch.Generator(device=given.device).manual_seed(random.randrange(2**31))
    seconds, begun, steps, losses = given.minutes * 60, time.monotonic(), 0, []
    saved = begun
    model.train()
    while (share := (time.monotonic() - begun) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = given.rate * min(share / 0.05 + 0.01, (1 - share) / 0.95)
        ids = windows(pieces, given.batch, given.length, tokenizer, generator)
        shown, places, wanted = masked(ids, special, tokenizer, generator)
        with half:
            loss = step_of(model, shown, places, wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        steps += 1
        if steps % STEPS_BETWEEN_LINES == 0:
            losses = losses[-STEPS_BETWEEN_LINES:]
            print(json.dumps({"step": steps, "share": round(share, 3), "loss": mean(losses)}), flush=True)
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


def masked(
    ids: Tensor, special: Tensor, tokenizer: object, generator: torch.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """The masked ids, the flat positions of the masked pieces (always the same number), and their true ids.

    80% of the masked pieces are shown as [MASK], 10% as a random piece, 10% unchanged (Devlin et al. 2019).
    """
    number = int(ids.numel() * MASKED)
    drawn = torch.rand(ids.shape, device=ids.device, generator=generator).masked_fill(torch.isin(ids, special), -1.0)
    places = drawn.flatten().topk(number).indices
    flat = ids.flatten().clone()
    wanted = flat[places]
    kind = torch.rand(number, device=ids.device, generator=generator)
    other = torch.randint(len(special), tokenizer.vocab_size, (number,), device=ids.device, generator=generator)  # type: ignore[attr-defined]
    shown = torch.where(kind < 0.8, tokenizer.mask_token_id, torch.where(kind < 0.9, other, wanted))  # type: ignore[attr-defined]
    flat[places] = shown
    return flat.view_as(ids), places, wanted


def loss_of(model: torch.nn.Module, shown: Tensor, places: Tensor, wanted: Tensor) -> Tensor:
    """The loss. Only masked positions go through the output layer."""
    hidden = model.bert(input_ids=shown).last_hidden_state
    return functional.cross_entropy(model.cls(hidden.flatten(0, 1)[places]).float(), wanted)


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
