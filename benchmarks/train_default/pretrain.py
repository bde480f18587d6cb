"""Masked-language pretraining of the encoder on `text`, for a given number of minutes.

    PYTHONPATH=.:packed/site python3 benchmarks/train_default/pretrain.py \
        --data packed --base packed/base --out $OUT/run --minutes 9 --device cuda

The rate rises over the first twentieth of the time and falls to zero at its end, so that the encoder is ready when
the time is over. Called again on the same OUT it goes on from the checkpoint there, with a short warm-up: weights are
kept in half precision, the optimiser's state is not. OUT holds one model folder: `config.json`, weights, tokenizer.
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
from sources import articles_of_text, unpacked_base
from torch import Tensor
from torch.nn import functional

from nlmchem.tagging.models.loading import cutter_of, quiet_transformers

MASKED = 0.2
"""Share of pieces to be guessed (Wettig et al. 2023: more than BERT's 15% pays)."""
STEPS_BETWEEN_WORDS = 100


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
    base = (
        given.out if (given.out / "config.json").is_file() else unpacked_base(given.base, given.out.with_name("base"))
    )
    tokenizer = AutoTokenizer.from_pretrained(base, local_files_only=True)
    model = AutoModelForMaskedLM.from_pretrained(base, local_files_only=True, use_safetensors=True, dtype=torch.float32)
    pieces = torch.from_numpy(stream_of(given.data, tokenizer, given.articles)).to(given.device)
    told = {"pieces": len(pieces), "prepared_s": round(time.monotonic() - begun, 1), "from": str(base)}
    print(json.dumps(told), flush=True)
    told |= pretrain(model.to(given.device), tokenizer, pieces, given)
    save(model, tokenizer, given.out, told)
    print(json.dumps(told), flush=True)


def stream_of(data: Path, tokenizer: object, articles: int) -> np.ndarray:
    """The pieces of all text one after another, articles apart by the separator (uint16 or int32)."""
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
    """Train until the time is over; says steps, pieces a second, and the mean loss of the last hundred steps."""
    cuda = given.device.startswith("cuda")
    optimizer = torch.optim.AdamW(model.parameters(), lr=given.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=cuda)
    special = torch.tensor(sorted(set(tokenizer.all_special_ids)), device=given.device)  # type: ignore[attr-defined]
    step_of = torch.compile(loss_of) if given.compile else loss_of
    half = torch.autocast("cuda", dtype=torch.bfloat16) if cuda else nullcontext()
    chance = torch.Generator(device=given.device).manual_seed(random.randrange(2**31))
    seconds, begun, steps, losses = given.minutes * 60, time.monotonic(), 0, []
    saved = begun
    model.train()
    while (share := (time.monotonic() - begun) / seconds) < 1:
        for group in optimizer.param_groups:
            group["lr"] = given.rate * min(share / 0.05 + 0.01, (1 - share) / 0.95)
        ids = windows(pieces, given.batch, given.length, tokenizer, chance)
        shown, places, wanted = masked(ids, special, tokenizer, chance)
        with half:
            loss = step_of(model, shown, places, wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        steps += 1
        if steps % STEPS_BETWEEN_WORDS == 0:
            losses = losses[-STEPS_BETWEEN_WORDS:]
            print(json.dumps({"step": steps, "share": round(share, 3), "loss": mean(losses)}), flush=True)
        if time.monotonic() - saved > 120:
            save(model, tokenizer, given.out, {"steps": steps, "unfinished": True})
            saved = time.monotonic()
    spent = time.monotonic() - begun
    return {
        "steps": steps,
        "loss": mean(losses[-STEPS_BETWEEN_WORDS:]),
        "pieces_per_s": round(steps * given.batch * given.length / spent),
        "passes": round(steps * given.batch * given.length / len(pieces), 2),
    }


def windows(pieces: Tensor, batch: int, length: int, tokenizer: object, chance: torch.Generator) -> Tensor:
    """Stretches of the stream from anywhere, full length: nothing is padded."""
    starts = torch.randint(len(pieces) - length, (batch, 1), device=pieces.device, generator=chance)
    ids = pieces[starts + torch.arange(length, device=pieces.device)].long()
    ids[:, 0] = tokenizer.cls_token_id  # type: ignore[attr-defined]
    ids[:, -1] = tokenizer.sep_token_id  # type: ignore[attr-defined]
    return ids


def masked(ids: Tensor, special: Tensor, tokenizer: object, chance: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
    """What is shown, where pieces are to be guessed (flat positions, always as many), and which they are.

    Of what is to be guessed 80% are shown as the mask, 10% as another piece, 10% as they are (Devlin et al. 2019).
    """
    number = int(ids.numel() * MASKED)
    drawn = torch.rand(ids.shape, device=ids.device, generator=chance).masked_fill(torch.isin(ids, special), -1.0)
    places = drawn.flatten().topk(number).indices
    flat = ids.flatten().clone()
    wanted = flat[places]
    kind = torch.rand(number, device=ids.device, generator=chance)
    other = torch.randint(len(special), tokenizer.vocab_size, (number,), device=ids.device, generator=chance)  # type: ignore[attr-defined]
    shown = torch.where(kind < 0.8, tokenizer.mask_token_id, torch.where(kind < 0.9, other, wanted))  # type: ignore[attr-defined]
    flat[places] = shown
    return flat.view_as(ids), places, wanted


def loss_of(model: torch.nn.Module, shown: Tensor, places: Tensor, wanted: Tensor) -> Tensor:
    """Only the positions to be guessed go through the output layer."""
    hidden = model.bert(input_ids=shown).last_hidden_state
    return functional.cross_entropy(model.cls(hidden.flatten(0, 1)[places]).float(), wanted)


def mean(losses: list[Tensor]) -> float:
    return round(float(torch.stack(losses).mean()), 4) if losses else float("nan")


def save(model: torch.nn.Module, tokenizer: object, out: Path, told: dict[str, object]) -> None:
    """The model folder, whole or not at all, weights in half precision."""
    waiting = out.with_name(out.name + ".part")
    shutil.rmtree(waiting, ignore_errors=True)
    # A copy, not a dictionary of halves: tied weights are written once only as long as they are one tensor.
    copy.deepcopy(model).half().save_pretrained(waiting)
    tokenizer.save_pretrained(str(waiting))  # type: ignore[attr-defined]
    (waiting / "pretraining.json").write_text(json.dumps(told, indent=1) + "\n")
    shutil.rmtree(out, ignore_errors=True)
    waiting.rename(out)


if __name__ == "__main__":
    main()
