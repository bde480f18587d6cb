"""Averages the weights of models with the same first stage (Wortsman et al. 2022, model soups).

    python -m benchmarks.retrain.average RUNS/second/seed-2/all/model RUNS/silver-2/seed-1/all/model --out RUNS/averaged

The average is as fast as one model and varies less with the order and choice of training articles. All other files are
those of the first model. Needs trained models.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from nlmchem.tagging.models.folders import version_of
from nlmchem.tagging.training.storing import CARD_FILE

WEIGHTS = "model.safetensors"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    shutil.rmtree(given.out, ignore_errors=True)
    shutil.copytree(given.models[0], given.out)
    save_file(mean([load_file(model / WEIGHTS) for model in given.models]), given.out / WEIGHTS, {"format": "pt"})
    update_card(given.out / CARD_FILE, given.models)


def mean(members: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of each tensor, computed in double precision."""
    return {name: torch.stack([member[name].double() for member in members]).mean(0).float() for name in members[0]}


def update_card(card: Path, members: Sequence[Path]) -> None:
    """Add the members to the card, and replace the hash of the weights."""
    text = card.read_text("utf-8")
    text = re.sub(r"(- sha256 of weights[^`]*`)[0-9a-f]+", rf"\g<1>{version_of(card.parent)}", text)
    rows = "\n".join(f"- {model.parent.name}: `{version_of(model)}`" for model in members)
    text = text.replace(
        "\n## Settings",
        f"\n## Averaged\n\nThe mean of the weights of {len(members)} models:\n\n{rows}\n\n## Settings",
        1,
    )
    card.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
