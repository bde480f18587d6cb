"""Trains the embedded indexer, `indexing/terms/default.json`.

    python benchmarks/retrain/indexer.py --data ../shared/data --work RUNS -o default.json

Checks the sha256 of the inputs (indexer.json beside this script), annotates the 461 labelled articles with the default
lexicon, counts concepts in every fifth unlabelled article, and fits the model. The card in the model (`card`) has
the commit, the command and the inputs. A step with a result in RUNS is not repeated.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpora.storage.atomic import write_bytes
from indexing.terms.background import Background
from indexing.terms.logistic import read_model, write_model
from indexing.terms.training import train
from sieves.lexicon.lexicon import Lexicon

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "indexing"))
from background import counted
from crossvalidation import read_articles
from inputs import checked, commit, record

INPUTS = Path(__file__).with_suffix(".json")
ARTICLES, GOLD = LABELLED = ("indexing/jats.tar.gz", "indexing/gold.jsonl")
TEXTS = tuple(f"text/pmc-{number}.jsonl.xz" for number in range(4))
EVERY = 5
"""One unlabelled article in so many is counted."""
LEAST = 2
"""Concepts of fewer unlabelled articles are left out. They are nine tenths of the file and hardly change a score."""


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card of the model, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (*LABELLED, *TEXTS), given.inputs))
    inputs = checked(given.data, given.inputs)
    given.work.mkdir(parents=True, exist_ok=True)
    annotated, background = prepared(given)
    # The card is published: folders of this machine do not belong there.
    shown = {str(given.work): "RUNS", str(given.out): given.out.name}
    words = [shown.get(word, word) for word in (sys.argv[1:] if arguments is None else arguments)]
    with Lexicon.open() as concepts:
        card = {
            "name": "default",
            "licence": "Apache-2.0",
            "data": "PMC full text (CC BY, CC0) with MeSH indexing of MEDLINE; background: PMC full text (CC BY, CC0)",
            "identification": f"the {given.tagger} tagger and the sieve cascade with the default lexicon; background: "
            "the lexicon tagger",
            "lexicon": concepts.version,
            "background_articles": background.articles,
            "method": "L2-regularised logistic regression and boosted trees of scikit-learn; "
            "docs/reference/indexing.md",
            "commit": commit(),
            "command": shlex.join(["python", "benchmarks/retrain/indexer.py", *words]),
            "inputs": inputs,
        }
        articles = read_articles(annotated, given.data / GOLD, concepts)
        model = train(articles, concepts, background=background, card=card, report=report)
    write_model(given.out, model)
    report(f"{given.out}: {given.out.stat().st_size:,} bytes, version {read_model(given.out).version[:12]}")
    return dict(model.card)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has indexing/ and text/")
    parser.add_argument("--work", type=Path, required=True, help="the folder for annotated articles and counts")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the model to write (.json)")
    parser.add_argument("--inputs", type=Path, default=INPUTS, help="the sha256 of the inputs")
    parser.add_argument("--record", action="store_true", help="write the sha256 of the inputs, and stop")
    parser.add_argument("--tagger", default="default", help="another tagger makes another model")
    return parser.parse_args(arguments)


def prepared(given: argparse.Namespace) -> tuple[Path, Background]:
    """The folder of annotated articles and the counts in unlabelled ones, made where they are missing."""
    annotated, counts = (given.work / name for name in ("annotated", "background.json"))
    # `annotate` continues a run that was stopped, and repeats nothing of a complete one.
    options = ["--steps", "abbreviate,tag,normalize", "--tagger", given.tagger]
    command = ["annotate", given.data / ARTICLES, "-o", annotated, *options]
    subprocess.run([sys.executable, "-c", "from nlmchem.cli import main; main()", *map(str, command)], check=True)
    if not counts.exists():
        found = counted([given.data / name for name in TEXTS], None, EVERY)
        write_bytes(counts, json.dumps(found.plain()).encode())
    return annotated, shortened(Background.from_plain(json.loads(counts.read_text("utf-8"))))


def shortened(background: Background) -> Background:
    """The counts without the concepts that hardly any article mentions."""
    kept = {identifier for identifier, named in background.named.items() if named >= LEAST}

    def of(counts: dict[str, int]) -> dict[str, int]:
        return {identifier: number for identifier, number in counts.items() if identifier in kept}

    return Background(background.articles, of(background.named), of(background.abstract), of(background.title))


def report(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
