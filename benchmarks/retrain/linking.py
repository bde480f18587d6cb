"""Fits the probability that a text has the right concepts, `nlmchem/deciding/linking.json`, and scores it.

    python -m benchmarks.retrain.linking --data ../shared/data -o nlmchem/deciding/linking.json

Each text of an article counts once. Sources: the training and development parts of BC5CDR and BioRED, and the mention
lists of NLM-Chem; lexicon of 2021. It is scored on other articles of these corpora, and on each source by a model that
was fitted without it. Time: 15 s.
"""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.retrain.inputs import checked, made_by, parser_of, record
from benchmarks.scores.identifiers import Held, read, read_lists
from benchmarks.scores.reliability import EDGES, error, loss
from indexing.learning import model_file
from indexing.learning.linear import Flags, Floats, Linear, fit_linear, matrix_of
from nlmchem.deciding.linking import FEATURES, FORM, KIND, ConceptLink, columns_of
from nlmchem.evaluation.scores import reliability
from sieves.lexicon.lexicon import Lexicon
from sieves.normalizer import Normalizer
from sieves.registry import facts

INPUTS = Path(__file__).with_suffix(".json")
LISTS = "nlmchem/traindev-mentions.tar.gz"
GOLD = {"BC5CDR": "bc5cdr/BC5CDR_TrainDev.PubTator.gz", "BioRED": "biored/BioRED_TrainDev.PubTator.gz"}
TESTS = {
    "BC5CDR test": "bc5cdr/BC5CDR_Test.PubTator.gz",
    "BioRED test": "biored/BioRED_Test.PubTator.gz",
    "NLM-Chem, 30 articles": "nlmchem/bioc",
}
YEAR = 2021
PENALTY = 30.0
FEWEST = 10
"""Answers of a sieve; those with fewer get no probability."""

Answers = tuple[list[ConceptLink], Floats, Flags]
"""The links of many articles, their features, and which are right."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = parser_of(__doc__, INPUTS, "bc5cdr/, biored/ and nlmchem/")
    parser.add_argument("-o", "--out", type=Path, required=True)
    given = parser.parse_args(arguments)
    if given.record:
        record(given.data, (*GOLD.values(), LISTS, *TESTS.values()), given.inputs)
        return
    card = made_by("linking", arguments, checked(given.data, given.inputs))
    sources, tests = sources_of(given.data), {name: asked(given.data / file) for name, file in TESTS.items()}
    model = fitted(sources)
    card["answers"] = {name: len(of_source[0]) for name, of_source in sources.items()}
    model_file.write(given.out, KIND, card, {KIND: model})
    print("answers\tright\tcalibration error\tlog-loss\tAUC\tby sieve: log-loss\tAUC")
    for name, of_source in tests.items():
        print_row(name, of_source, model)
    for name, of_source in sources.items():
        without = fitted({other: answers for other, answers in sources.items() if other != name})
        print_row(f"{name}, fitted on the others", of_source, without)
    print_reliability(tests, model)


def sources_of(data: Path) -> dict[str, Answers]:
    sources = {name: asked(data / file) for name, file in GOLD.items()}
    with TemporaryDirectory() as folder:
        with tarfile.open(data / LISTS) as archive:
            archive.extractall(folder, filter="data")
        sources["mention lists"] = answers(read_lists(Path(folder)))
    return sources


def asked(path: Path) -> Answers:
    return answers(read([str(path)]))


def answers(articles: Sequence[Held]) -> Answers:
    """The answers to the texts of articles. A text is right if it is so at half of its places."""
    links: list[ConceptLink] = []
    rows, right = [], []
    with Lexicon.open(None, YEAR) as lexicon:
        normalizer = Normalizer(lexicon)
        for _, article, gold in articles:
            resolved = normalizer.answers({text for text, _ in gold}, article)
            linked = [ConceptLink(text, answer.identifiers, answer.sieve) for text, answer in sorted(resolved.items())]
            places = Counter(text for text, _ in gold)
            hits = Counter(text for text, ids in gold if text in resolved and set(resolved[text].identifiers) == ids)
            links += linked
            right += [2 * hits[link.text] >= places[link.text] for link in linked]
            rows.append(matrix_of(columns_of(linked), FEATURES))
    return links, np.concatenate(rows), np.array(right)


def fitted(sources: Mapping[str, Answers]) -> Linear:
    values, right = (np.concatenate([of_source[at] for of_source in sources.values()]) for at in (1, 2))
    used = [at for at, name in enumerate(FEATURES) if name in FORM or values[:, at].sum() >= FEWEST]
    return fit_linear(values[:, used], right, [FEATURES[at] for at in used], PENALTY)


def known(of_source: Answers, model: Linear) -> tuple[Flags, Floats]:
    """Which answers have a probability, and all probabilities."""
    links, values, _ = of_source
    used = [FEATURES.index(name) for name in model.features]
    return np.array([f"sieve {link.sieve}" in model.features for link in links]), model.probabilities(values[:, used])


def print_row(name: str, of_source: Answers, model: Linear) -> None:
    has, chances = known(of_source, model)
    chances, right = chances[has], of_source[2][has]
    by_sieve = np.array([facts(link.sieve).precision or 0.5 for link in of_source[0]])[has]
    figures = [error(chances, right), *(of(by, right) for by in (chances, by_sieve) for of in (loss, area))]
    print(name, len(right), *(f"{value:.4f}" for value in (right.mean(), *figures)), sep="\t")


def print_reliability(tests: Mapping[str, Answers], model: Linear) -> None:
    print("answers, mean probability and share of right ones by probability")
    for name, of_source in tests.items():
        has, chances = known(of_source, model)
        chances, right = chances[has], of_source[2][has]
        bins = reliability(chances, right, EDGES)
        print(name, *(f"{bin.answers} {bin.probability:.3f} {bin.right:.3f}" for bin in bins), sep="\t")


def area(chances: Floats, right: Flags) -> float:
    """The share of pairs of right and wrong answers whose right one is more probable; equal ones count half."""
    more = chances[right][:, None] - chances[~right][None, :]
    return float((more > 0).mean() + 0.5 * (more == 0).mean())


if __name__ == "__main__":
    main()
