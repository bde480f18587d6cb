"""Trains two taggers for acronym identification on SciAI, as rows for comparison. Nothing that is trained here ships.

    python benchmarks/senses/identification.py --data ../shared/data --rows crf,lstm

`crf`: a linear-chain CRF over features of tokens (package python-crfsuite, which is no dependency of the project), with
and without the labels of our rules among the features. `lstm`: word embeddings and letters, a bidirectional LSTM and a
CRF layer (Lample et al. 2016), in torch. Both are trained on the published training part and scored on the
development part. Intervals: 95% of bootstrap samples of sentences.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from corpora.datasets.acronyms import read_sciai
from corpora.datasets.corpus_files import listing
from corpora.datasets.samples import AcronymSentence
from corpora.reporting import log
from nlmchem.abbreviations.identification import identify
from nlmchem.evaluation.abbreviations import score_identification

sys.path.insert(0, str(Path(__file__).parent))

Labels = Mapping[str, tuple[str, ...]]


def main() -> None:
    given = parsed()
    train, test = (read(given.data / "acronyms" / "sciai" / name) for name in ("train.csv.gz", "dev.json.gz"))
    if given.sentences:
        train, test = random.Random(0).sample(train, given.sentences), test[: given.sentences]
    gold = {one.id: one.labels for one in test}
    print("row\tF short\tF long\tF of both, mean\tinterval", flush=True)
    rules = {one.id: tuple(identify(one.tokens)) for one in test}
    show("rules", gold, rules, given.draws)
    if "crf" in given.rows.split(","):
        for name, with_rules in (("CRF", False), ("CRF, with the labels of the rules", True)):
            show(name, gold, crf(train, test, with_rules), given.draws)
    if "lstm" in given.rows.split(","):
        from lstm_crf import tagged

        for epoch, labels in enumerate(tagged(train, test, given.epochs), 1):
            show(f"LSTM-CRF, {epoch} epochs", gold, labels, given.draws)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder that has acronyms/")
    parser.add_argument("--rows", default="crf,lstm", help="rows joined by commas: crf, lstm")
    parser.add_argument("--epochs", type=int, default=5, help="epochs of the LSTM")
    parser.add_argument("--sentences", type=int, help="only so many sentences of each part, for a try")
    parser.add_argument("--draws", type=int, default=300, help="bootstrap samples")
    return parser.parse_args()


def read(path: Path) -> list[AcronymSentence]:
    return list(read_sciai({"sentences": listing(str(path))}, log))


def show(name: str, gold: Labels, predicted: Labels, draws: int) -> None:
    """Print the scores of a row, with the interval of F of the means."""
    whole = score_identification(gold, predicted)
    chance = random.Random(0)
    names = list(gold)
    values = []
    for _ in range(draws):
        drawn = [chance.choice(names) for _ in names]
        own = {str(number): gold[key] for number, key in enumerate(drawn)}
        values.append(
            score_identification(own, {str(number): predicted[key] for number, key in enumerate(drawn)}).f1_of_means
        )
    low, high = np.quantile(values, [0.025, 0.975]) if values else (0.0, 0.0)
    print(
        f"{name}\t{whole.short.f1:.4f}\t{whole.long.f1:.4f}\t{whole.f1_of_means:.4f}\t{low:.4f}-{high:.4f}", flush=True
    )


def crf(
    train: Sequence[AcronymSentence], test: Sequence[AcronymSentence], with_rules: bool
) -> dict[str, tuple[str, ...]]:
    """The labels of a CRF over features."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for one in train:
        trainer.append(list(features(one.tokens, with_rules)), list(one.labels))
    trainer.set_params({"c1": 0.1, "c2": 0.05, "max_iterations": 100, "feature.possible_transitions": True})
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "model")
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        return {one.id: tuple(tagger.tag(list(features(one.tokens, with_rules)))) for one in test}


def features(tokens: Sequence[str], with_rules: bool) -> Iterator[list[str]]:
    """Form, shape, ends and neighbours of each token, and whether its first letter is in a near acronym."""
    labels = identify(tokens) if with_rules else [""] * len(tokens)
    capitals = [token if sum(map(str.isupper, token)) > 1 and len(token) < 10 else "" for token in tokens]
    for index, token in enumerate(tokens):
        found = [f"rules={labels[index]}"] if with_rules else []
        near = {letter.lower() for other in capitals[max(0, index - 8) : index + 9] for letter in other}
        found.append(f"in near={token[0].lower() in near}")
        found.append(f"before bracket={index + 1 < len(tokens) and tokens[index + 1] in '(['}")
        found.append(f"in brackets={index > 0 and tokens[index - 1] in '(['}")
        for shift in (-2, -1, 0, 1, 2):
            if 0 <= index + shift < len(tokens):
                own = tokens[index + shift]
                found += [f"{shift}={own.lower()}", f"{shift} shape={shape(own)}", f"{shift} last={own[-3:].lower()}"]
                if with_rules:
                    found.append(f"{shift} rules={labels[index + shift]}")
            else:
                found.append(f"{shift}=end")
        yield found


def shape(token: str) -> str:
    """Capitals as A, small letters as a, digits as 0; repeated ones once.

    >>> shape("GANs"), shape("H.264")
    ('Aa', 'A.0')
    """
    marks = ["A" if c.isupper() else "a" if c.islower() else "0" if c.isdigit() else c for c in token]
    return "".join(mark for index, mark in enumerate(marks) if index == 0 or mark != marks[index - 1])


if __name__ == "__main__":
    main()
