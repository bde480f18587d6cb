"""Tags the articles of each fold with the model that was not trained on them: one run per seed and choice of rules.

    python benchmarks/train_default/predict.py --data ../shared/data --runs RUNS/plain --seeds 1 --out CV

CV gets `gold.jsonl` (the articles with their definitions of abbreviations) and `seed-N-RULES.jsonl` for each seed.
`--together` adds a run with the averaged probabilities of the seeds, `--voters` the spans of the lexicon tagger.
`nlmchem evaluate spans CV/gold.jsonl CV/seed-1-default.jsonl` scores a run with its bootstrap interval, and
`nlmchem ensemble` combines several. Needs the models of finetune.py.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path

from bioc import BioCDocument
from sources import corpus, with_definitions

import corpora
from corpora.model.metadata import join_key
from nlmchem.tagging.inference.scoring import TokenClassifier
from nlmchem.tagging.lexicon.tagger import LexiconTagger
from nlmchem.tagging.models.loading import load_model
from nlmchem.tagging.rules.post_processing import Rules
from nlmchem.tagging.tagger import NeuralTagger, TaggerOptions, set_threads
from nlmchem.tagging.training.data import fold_of
from nlmchem.tagging.training.scores import Tag, bare
from sieves.lexicon.lexicon import Lexicon


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--only", default="", help="folds, separated by commas; other articles are left out")
    parser.add_argument("--seeds", default="7")
    parser.add_argument(
        "--rules", default="default", help="choices of rules, separated by commas (default, none, all, vote, ...)"
    )
    parser.add_argument("--together", action="store_true")
    parser.add_argument("--voters", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    set_threads(given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    documents = with_definitions(corpus(given.data, "nlmchem").documents)
    fold = fold_of(documents, given.folds)
    wanted = [int(one) for one in given.only.split(",") if one] or list(range(given.folds))
    parts = [[d for d in documents if fold[join_key(d)] == number] for number in wanted]
    write((document for part in parts for document in part), given.out / "gold.jsonl")
    seeds = given.seeds.split(",")
    loaded = {
        (seed, number): load_model(given.runs / f"seed-{seed}" / f"fold-{number}" / "model", given.device)
        for seed in seeds
        for number in wanted
    }
    for rules in given.rules.split(","):
        switches = Rules.parse(rules)
        groups: dict[str, Sequence[str]] = {f"seed-{seed}": [seed] for seed in seeds}
        if given.together:
            groups["together"] = seeds
        for name, own in groups.items():
            tagged = (
                document
                for number, part in zip(wanted, parts, strict=True)
                for document in tag(neural([loaded[seed, number] for seed in own], switches), part)
            )
            write(tagged, given.out / f"{name}-{rules}.jsonl")
    if given.voters:
        lexicon = LexiconTagger(Lexicon.open(None))
        write((d for part in parts for d in tag(lexicon, part)), given.out / "lexicon.jsonl")


def neural(models: Sequence[TokenClassifier], switches: Rules) -> Tag:
    return NeuralTagger(models, TaggerOptions(rules=switches))


def tag(tagger: Tag, documents: Sequence[BioCDocument]) -> list[BioCDocument]:
    copies = [bare(document) for document in documents]
    tagger(copies)
    return copies


def write(documents: Iterable[BioCDocument], path: Path) -> None:
    corpora.write(documents, path)


if __name__ == "__main__":
    main()
