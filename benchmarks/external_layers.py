"""What each external layer of a lexicon is worth: MeSH alone, with each layer by itself, and with all of them.

    python benchmarks/external_layers.py --lexicon mesh.sqlite --as-of 2021 \
        --gold ../shared/data/nlmchem/bioc --gold ../shared/data/bc5cdr/BC5CDR_Test.PubTator.gz

A layer's names are joined to MeSH by themselves when a lexicon is built, so a lexicon without a layer is the same as
one from whose copy the layer's names have been struck. `answered`: mentions whose answer matched a name of an external
layer. F is by document, strict (benchmarks/normalization.py).
"""

from __future__ import annotations

import argparse
import shutil
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from normalization import Held, answers, read, score

from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer

_STRIKE = "DELETE FROM name WHERE layer IN (SELECT rank FROM layer WHERE name = ?)"


def kept(external: Sequence[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """(label, layers that stay) of each row of the table."""
    yield "MeSH alone", frozenset()
    yield from ((layer, frozenset({layer})) for layer in external)
    yield "all", frozenset(external)


def struck(path: Path, external: Sequence[str], stay: frozenset[str], folder: Path) -> Path:
    """A copy of a lexicon without the names of the other external layers."""
    copy = folder / "lexicon.sqlite"
    shutil.copyfile(path, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        for layer in external:
            if layer not in stay:
                connection.execute(_STRIKE, (layer,))
    return copy


def by_layers(articles: Sequence[Held], normalizer: Normalizer, external: frozenset[str]) -> tuple[int, int]:
    """Mentions that an external name answered, and those of them that are right."""
    won = right = 0
    for (_, _, gold), found in zip(articles, answers(articles, normalizer), strict=True):
        for text, ids in gold:
            if text in found and found[text].layer in external:
                won += 1
                right += frozenset(found[text].identifiers) == ids
    return won, right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lexicon", type=Path, required=True)
    parser.add_argument("--as-of", type=int)
    parser.add_argument("--gold", action="append", required=True)
    options = parser.parse_args()
    corpora = {name: read([name]) for name in options.gold}
    with Lexicon.open(options.lexicon) as lexicon:
        external = sorted(lexicon.external)
    print("layers\tcorpus\tanswered\tprecision\tF\tmention accuracy")
    for label, stay in kept(external):
        with TemporaryDirectory() as folder:
            copy = struck(options.lexicon, external, stay, Path(folder))
            with Lexicon.open(copy, options.as_of) as lexicon:
                for name, articles in corpora.items():
                    normalizer = Normalizer(lexicon)
                    won, right = by_layers(articles, normalizer, lexicon.external)
                    scores = score(articles, normalizer)
                    precision = f"{right / won:.3f}" if won else "-"
                    accuracy = scores.right / scores.mentions
                    print(label, Path(name).name, won, precision, f"{scores.f1:.4f}", f"{accuracy:.4f}", sep="\t")
    return 0


if __name__ == "__main__":
    sys.exit(main())
