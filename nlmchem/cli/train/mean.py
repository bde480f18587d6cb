"""`nlmchem train mean`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "Example: nlmchem train mean second/seed-2/all/model first/seed-1/all/model -o mean/"


def mean(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL...", help="Folders of models from one base.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="New folder for the mean.")],
) -> None:
    """Average the weights of taggers, for example of the last two stages of a training.

    Labels, tokenizer and settings come from the first model.
    """
    from corpora.extras import require
    from nlmchem.tagging.models.folders import quiet_transformers

    require("transformers", extra="train", purpose="averaging taggers")
    quiet_transformers()
    from nlmchem.companions.studies.averaging import average

    average(models, out)
    print(out)
