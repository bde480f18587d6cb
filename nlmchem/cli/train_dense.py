"""`nlmchem train dense`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem train dense --lexicon mesh.sqlite --minutes 10 -o encoder.safetensors"


def dense(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The weights to write (.safetensors); with --base, a new folder.")
    ],
    lexicon: Annotated[
        Path | None, typer.Option("--lexicon", help="A lexicon (.sqlite or .tsv) in place of the starter lexicon.")
    ] = None,
    names: Annotated[
        list[Path] | None, typer.Option("--names", help="Further names: TSV or CSV of identifiers and names.")
    ] = None,
    base: Annotated[
        Path | None, typer.Option("--base", help="Folder of a transformer to train. [default: character n-grams]")
    ] = None,
    minutes: Annotated[float, typer.Option(help="Minutes after which it stops.", min=0.001)] = 5.0,
    steps: Annotated[int | None, typer.Option(help="Batches after which it stops, if that comes first.", min=1)] = None,
    seed: Annotated[int, typer.Option(help="What chance starts from.", min=0)] = 0,
    held_out: Annotated[
        float, typer.Option(help="Share of the concepts with three names or more that give one for validation.")
    ] = 0.05,
    device: Annotated[str, typer.Option(help="Where a transformer is trained: cpu, cuda or cuda:N.")] = "cpu",
    as_json: Annotated[bool, typer.Option("--json", help="Print the card as JSON.")] = False,
) -> None:
    """Train an encoder of names for the dense fallback, on the synonyms of a lexicon."""
    from sieves.dense.training import Settings, train
    from sieves.dense.transformer_training import TransformerSettings, train_transformer
    from sieves.lexicon.lexicon import Lexicon

    with Lexicon.open(lexicon) as opened:
        if base is None:
            settings = Settings(minutes=minutes, steps=steps, seed=seed, held_out=held_out)
            card = train(opened, out, settings, _say, names or ())
        else:
            of_transformer = TransformerSettings(
                minutes=minutes, steps=steps, seed=seed, held_out=held_out, device=device
            )
            card = train_transformer(opened, base, out, of_transformer, _say, names or ())
    if as_json:
        print(json.dumps(card))
        return
    print(
        f"{out}: {card['steps']} steps; of {card['held_out_names']} held-out names {card['recall_at_1']:.4f} are "
        f"nearest to a name of their concept, {card['recall_at_5']:.4f} have it among the nearest five concepts"
    )


def _say(sentence: str) -> None:
    print(f"nlmchem: {sentence}", file=sys.stderr)
