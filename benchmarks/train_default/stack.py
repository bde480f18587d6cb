"""Makes a base model with more layers than another (Kim et al. 2023, SOLAR, depth up-scaling).

    python benchmarks/train_default/stack.py --base BASE --layers 8 --out BASE8

The new encoder has the lower layers of the base, then its upper layers; those in the middle occur twice. Eight layers
from six are 0 1 2 3 and 2 3 4 5. The tokenizer and the embeddings are those of the base.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Sequence
from pathlib import Path

import torch

from nlmchem.tagging.models.folders import quiet_transformers


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    quiet_transformers()
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(given.base, local_files_only=True, use_safetensors=True, add_pooling_layer=False)
    old = model.encoder.layer
    if not len(old) < given.layers <= 2 * len(old):
        problem = f"--layers {given.layers}: {given.base} has {len(old)} layers"
        parser.error(f"{problem}. Give more, and at most twice as many.")
    order = repeated(len(old), given.layers)
    model.encoder.layer = torch.nn.ModuleList(copy.deepcopy(old[number]) for number in order)
    model.config.num_hidden_layers = given.layers
    model.save_pretrained(given.out)
    AutoTokenizer.from_pretrained(given.base, local_files_only=True).save_pretrained(given.out)
    size = sum(weight.numel() for weight in model.parameters())
    print(json.dumps({"layers": order, "parameters": size}))


def repeated(old: int, new: int) -> list[int]:
    """The numbers of the old layers in the order of the new encoder.

    >>> repeated(6, 8), repeated(6, 9)
    ([0, 1, 2, 3, 2, 3, 4, 5], [0, 1, 2, 3, 4, 2, 3, 4, 5])
    """
    lower = (new + 1) // 2
    return [*range(lower), *range(old - (new - lower), old)]


if __name__ == "__main__":
    main()
