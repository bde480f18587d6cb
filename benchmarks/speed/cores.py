"""How a run scales to many processors: a model with measured terms, for 4, 8 and 64 workers.

    python -m benchmarks.speed.cores ARTICLES [--articles 400] [--annotated 24] [--workers 1,2,4] [--seconds S]

ARTICLES: a folder or a tar archive; the first articles by path are used. Processor times are fitted by least squares:

- of the main process (list of files, ledger, messages), in runs without annotation of `--articles` and a quarter of it;
- of workers (reading, annotation, writing), in runs of the lexicon tagger over `--annotated` and half of it.

Processor time shows this on any number of processors. `--seconds`: the time of an article with another tagger, to
predict for. The model: workers start, then articles are spread evenly, and the main process works at the same time. A
run takes as long as the slower of both, and one more article of a worker. The model has no disks, and no processors
that share a core. Time: 3 minutes.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.annotate import copied
from benchmarks.speed.measured import measured_run

OPTIONS: dict[str, dict[str, object]] = {
    "none": {"steps": []},
    "all": {"tagger": "lexicon", "existing": "replace"},
}
"""The options of the runs that are measured."""
PREDICTED = (1, 4, 8, 64)
ARTICLES = 100_000
"""Articles of the predicted run."""


@dataclass(frozen=True, slots=True)
class Terms:
    """Seconds of processor time: of the main process for its start, a worker and an article; of a worker likewise."""

    main_start: float
    main_worker: float
    main_article: float
    worker_start: float
    worker_article: float

    def seconds(self, articles: int, workers: int) -> float:
        """The length of a run if each process has a processor."""
        own = articles * self.main_article
        start = self.main_start + self.main_worker * workers + self.worker_start
        return start + max(own, articles * self.worker_article / workers) + self.worker_article

    def efficiency(self, articles: int, workers: int) -> float:
        """The share of the time of all workers that is spent on articles."""
        return articles * self.worker_article / (workers * self.seconds(articles, workers))

    def main_share(self) -> float:
        """The share of the main process in the processor time of a long run, while all workers are busy."""
        return self.main_article / (self.main_article + self.worker_article)

    def main_load(self, workers: int) -> float:
        """How much of its own processor the main process uses while all workers are busy; above 1 they wait for it."""
        return workers * self.main_article / self.worker_article


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", metavar="ARTICLES", type=Path)
    parser.add_argument("--articles", type=int, default=400)
    parser.add_argument("--annotated", type=int, default=24)
    parser.add_argument("--workers", default="1,2,4")
    parser.add_argument("--seconds", type=float, help="processor time of a worker for an article")
    given = parser.parse_args()
    workers = [int(number) for number in given.workers.split(",")]
    few, many = given.articles // 4, given.articles
    of_main = fitted(given.path, "none", [(1, few), (1, many), *((number, few) for number in workers[1:])])[0]
    few, many = given.annotated // 2, given.annotated
    of_workers = fitted(given.path, "all", [(1, few), *((number, many) for number in workers)])[1]
    terms = Terms(*of_main.tolist(), *of_workers[1:].tolist())
    print(
        f"main process: start {terms.main_start:.2f} s, a worker {terms.main_worker:.3f} s, an article "
        f"{1000 * terms.main_article:.1f} ms; workers: start {terms.worker_start:.2f} s, an article "
        f"{1000 * terms.worker_article:.0f} ms"
    )
    if given.seconds is not None:
        terms = replace(terms, worker_article=given.seconds)
    print(f"predicted for {ARTICLES:,} articles of {1000 * terms.worker_article:.0f} ms:")
    for workers in PREDICTED:
        print(
            f"{workers:3d} workers: {ARTICLES / terms.seconds(ARTICLES, workers):.1f} articles/s, efficiency "
            f"{terms.efficiency(ARTICLES, workers):.3f}; main process: {terms.main_load(workers):.1%} of its processor"
        )
    print(f"main process: {terms.main_share():.2%} of all processor time")


def fitted(source: Path, steps: str, runs: Sequence[tuple[int, int]]) -> NDArray[np.float64]:
    """Seconds of the main process and of all workers: for the run, each worker and each article.

    `runs`: workers and articles of each.
    """
    rows, seconds = [], []
    for workers, number in runs:
        with tempfile.TemporaryDirectory() as name:
            articles = copied(source, Path(name), number)
            used = measured_run(Path(name) / "in", Path(name) / "out", workers, **OPTIONS[steps])
            spent = used.main, used.workers
        rows.append((1, workers, articles))
        seconds.append(spent)
        print(
            f"{articles} articles, steps {steps}, {workers} workers: "
            f"main process {spent[0]:.2f} s, workers {spent[1]:.2f} s"
        )
    matrix, values = np.array(rows, dtype=np.float64), np.array(seconds)
    own = np.linalg.lstsq(matrix, values[:, 0], rcond=None)[0]
    # Workers without a term for the run.
    others = np.concatenate(([0.0], np.linalg.lstsq(matrix[:, 1:], values[:, 1], rcond=None)[0]))
    fit: NDArray[np.float64] = np.stack([own, others]).clip(min=0)
    return fit


if __name__ == "__main__":
    main()
