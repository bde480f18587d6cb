"""How long scoring takes: the bootstrap at full size, and approximate identifiers against a plain reading.

    python benchmarks/evaluation_speed.py [--parents parents_2021.json.gz]

Everything is drawn by chance from a fixed seed: 54 documents of 40 to 130 passages, 10 runs, and some
100 identifiers a document and side. The plain reading is the one that the tests hold the measure
against (tests/nlmchem/evaluation/test_lca_scores.py). Without --parents a hierarchy of 30,000 ids is made.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from corpora.model.alignment import Layout
from corpora.model.document import Evidence
from corpora.model.hierarchy import Hierarchy
from nlmchem.evaluation import lca
from nlmchem.evaluation.articles import Annotation, ScoredArticle, Side
from nlmchem.evaluation.comparison import Options, Task, compare

DOCUMENTS, RUNS, IDENTIFIERS, MENTIONS, SAMPLES = 54, 10, 100, 600, 10_000
TEXT = "x" * 2000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parents", type=Path)
    arguments = parser.parse_args()
    generator = random.Random(7)
    hierarchy = made_up(generator) if arguments.parents is None else Hierarchy.read(arguments.parents)
    pool = [id for id in hierarchy if len(hierarchy.parents(id)) > 0]
    gold = side("gold", generator, pool, None)
    runs = [side(f"run{number}", generator, pool, gold) for number in range(RUNS)]
    print(f"{DOCUMENTS} documents, {RUNS} runs, {SAMPLES} samples, hierarchy of {len(hierarchy)} ids")
    for task in (Task.SPANS, Task.IDENTIFIERS):
        options = Options(approximate=True, hierarchy=hierarchy, samples=SAMPLES)
        seconds = timed(partial(compare, task, gold, runs, options, ignore))
        print(f"{task.value}, strict and approximate, with bootstrap: {seconds[0]:.1f} s, {seconds[1]:.1f} s CPU")
    pairs = list(zip(identifiers(gold), identifiers(runs[0]), strict=True))
    fresh = Hierarchy({id: hierarchy.parents(id) for id in hierarchy})
    ours = timed(lambda: [lca.augmented(mine, theirs, fresh) for mine, theirs in pairs])
    plain = plain_reading()
    parents = {id: list(hierarchy.parents(id)) for id in hierarchy}
    slow = timed(lambda: [plain(mine, theirs, parents) for mine, theirs in pairs])
    same = all(lca.augmented(*pair, fresh) == plain(*pair, parents) for pair in pairs[:5])
    mean = sum(len(mine) + len(theirs) for mine, theirs in pairs) / 2 / len(pairs)
    print(
        f"least common ancestors, one run, {mean:.0f} ids a side: "
        f"{ours[1]:.2f} s CPU, the plain reading {slow[1]:.1f} s"
    )
    print(f"{slow[1] / ours[1]:.0f} times faster, the same sets in 5 documents compared: {same}")


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds on the clock and of the processors: the latter are the same on a machine that others use as well."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - used


def ignore(sentence: str) -> None:
    pass


def made_up(generator: random.Random) -> Hierarchy:
    """A hierarchy some seven levels deep, as MeSH is, in which every fourth id has two parents."""
    names = [f"MESH:D{number:06}" for number in range(30_000)]
    parents: dict[str, list[str]] = {name: [] for name in names[:100]}
    for number in range(100, len(names)):
        parents[names[number]] = generator.sample(names[: max(100, number // 4)], 2 if number % 4 == 0 else 1)
    return Hierarchy(parents)


def side(name: str, generator: random.Random, pool: list[str], gold: Side | None) -> Side:
    """A gold standard; or a run that has three quarters of it, and as many others."""
    articles = []
    for number in range(DOCUMENTS):
        if gold is None:
            passages = generator.randint(40, 130)
            ids = generator.sample(pool, IDENTIFIERS)
            mentions = [mention(generator, passages, generator.choice(ids)) for _ in range(MENTIONS)]
        else:
            before = gold.articles[number].annotations
            passages = len(gold.articles[number].layout.passages)
            others = generator.sample(pool, IDENTIFIERS // 4)
            ids = [id for id in {item.identifiers[0] for item in before} if generator.random() < 0.75]
            kept = [item for item in before if item.identifiers[0] in set(ids)]
            mentions = kept + [mention(generator, passages, id) for id in others]
        layout = Layout(f"{number:03}", f"{number:03}", tuple((at * 2001, TEXT) for at in range(passages)))
        articles.append(ScoredArticle(layout, ("OTHER",) * passages, (), tuple(mentions)))
    return Side(name, tuple(articles))


def mention(generator: random.Random, passages: int, identifier: str) -> Annotation:
    passage = generator.randrange(passages)
    start = passage * 2001 + generator.randrange(1980)
    end = start + generator.randint(2, 20)
    return Annotation(passage, "Chemical", ((start, end),), TEXT[: end - start], (identifier,), Evidence(), True)


def identifiers(one: Side) -> list[set[str]]:
    return [{item.identifiers[0] for item in article.annotations} for article in one.articles]


def plain_reading() -> Callable[[set[str], set[str], dict[str, list[str]]], Any]:
    path = Path(__file__).parents[1] / "tests" / "nlmchem" / "evaluation" / "test_lca_scores.py"
    spec = importlib.util.spec_from_file_location("plain_lca", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.plain_augmented


if __name__ == "__main__":
    main()
