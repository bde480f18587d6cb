"""What a tagger learns from the passages that a simulated curator corrects: `curate select` against random ones.

    python -m benchmarks.scores.curation_learning GOLD START --work WORK [--divisions 0 1 2] [-n 50 100 200]

START must have seen no annotation of GOLD. The articles of GOLD are divided into three parts. For each division START
tags two parts, passages are chosen from its output (by reasons, with the lexicon tagger as the second run, or at
random), GOLD answers for the curator, START learns from these passages alone as in `nlmchem curate learn`, and the new
tagger is scored on the third part: strict spans, and identifiers of 2021 as sets of an article. The decision is
`knowledge`, and the rules are those without the starter names, which were chosen while reading these articles.

`text`: the share of the characters of the two parts that the curator reads. `answers`: mentions of the chosen passages
that START lacks, has wrongly or with other identifiers; `minutes`: at 20 s an answer. Each row is stored in WORK, and
the same command continues.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bioc import BioCDocument

import corpora
import nlmchem
from benchmarks.retrain.decision import WITHOUT_LISTS
from benchmarks.scores.curation import chosen_by, errors_of
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.reporting import ignore
from nlmchem.companions.curation.learning import plan
from nlmchem.companions.curation.selection import Choice, shallow
from nlmchem.evaluation.articles import Side, article
from nlmchem.evaluation.comparison import ScoringOptions, TrackTask, compare
from nlmchem.evaluation.scores import Counts
from nlmchem.tagging.training.base import open_base
from nlmchem.tagging.training.data import TrainingCorpus, fold_of
from nlmchem.tagging.training.run import run

PARTS = 3
SECONDS = 20
TASKS = (TrackTask.SPANS, TrackTask.IDENTIFIERS)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Division:
    """The articles that the curator sees, those that the taggers are scored on, and START."""

    folder: Path
    base: Path
    pool: list[BioCDocument]
    test: list[BioCDocument]
    passes: float

    @property
    def runs(self) -> list[str]:
        """The outputs of START and of the lexicon tagger."""
        return [str(self.folder / "start.xml"), str(self.folder / "lexicon.xml")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold")
    parser.add_argument("start", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--divisions", type=int, nargs="+", default=list(range(PARTS)))
    parser.add_argument("-n", type=int, nargs="+", default=[50, 100, 200])
    parser.add_argument("--passes", type=float, default=4)
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    base = open_base(given.start, given.work)
    gold = list(corpora.read(given.gold))
    fold = fold_of(gold, PARTS)
    for number in given.divisions:
        parts = [[one for one in gold if (fold[join_key(one)] == number) is held] for held in (False, True)]
        division = Division(given.work / f"division-{number}", base, parts[0], parts[1], given.passes)
        measure(division, [(way, size) for size in given.n for way in ("random", "reasons")])
    report([row for number in given.divisions for row in stored(given.work / f"division-{number}")])


def measure(division: Division, choices: Sequence[tuple[str, int]]) -> None:
    """Add the rows that are missing to those of a division."""
    division.folder.mkdir(exist_ok=True)
    for path, tagger in zip(division.runs, (str(division.base), "lexicon"), strict=True):
        if not Path(path).is_file():
            corpora.write(annotated(division.pool, tagger), path)
    done = {(row["choice"], row["passages"]) for row in stored(division.folder)}
    if ("none", 0) not in done:
        store(division, {"choice": "none", "passages": 0}, division.base)
    for way, size in choices:
        if (way, size) not in done:
            learn(division, way, size)


def learn(division: Division, way: str, size: int) -> None:
    """Train on the passages of one choice, and store its row."""
    chosen = set(chosen_by(division.runs, Choice(size, seed=1 if way == "random" else None)))
    corrected = [part for document in division.pool if (part := only(document, chosen)).passages]
    errors = errors_of(division.pool, corpora.read(division.runs[0]))
    out = division.folder / f"{way}-{size}"
    target = [TrainingCorpus("corrected", tuple(corrected))]
    planned = plan(division.base, out, target, (), folds=0, passes=division.passes)
    (model,) = run(planned).models
    row = {
        "choice": way,
        "passages": len(chosen),
        "text": length(corrected) / length(division.pool),
        "answers": sum(errors[place] for place in chosen),
    }
    store(division, row, model)
    shutil.rmtree(out)


def only(document: BioCDocument, places: set[tuple[str, int]]) -> BioCDocument:
    """The gold passages at these places, as `nlmchem curate import` writes them."""
    part = shallow(document)
    part.passages = [deepcopy(one) for one in document.passages if (document.id, one.offset) in places]
    return part


def length(documents: Sequence[BioCDocument]) -> int:
    return sum(len(passage_text(passage)) for document in documents for passage in document.passages)


def annotated(documents: Sequence[BioCDocument], tagger: str) -> list[BioCDocument]:
    """Copies of documents with the output of a tagger, without reading their gold."""
    rules = {} if tagger == "lexicon" else {"rules": WITHOUT_LISTS}
    pipe = nlmchem.load(
        tagger=tagger, steps="abbreviate,tag,normalize", decision="knowledge", existing="replace", as_of=2021, **rules
    )
    copies = deepcopy(list(documents))
    for _ in pipe(copies):
        pass
    return copies


def store(division: Division, row: Row, tagger: Path) -> None:
    """Score a tagger, and add its row to the file of the division."""
    found = annotated(division.test, str(tagger))
    gold, side = (Side(name, tuple(map(article, own))) for name, own in (("gold", division.test), ("run", found)))
    scores = {}
    for task in TASKS:
        score = compare(task, gold, [side], ScoringOptions(samples=0), ignore).results[0].strict.score
        assert isinstance(score, Counts)
        scores[task.value] = [score.gold, score.found, score.predicted, score.right]
    line = json.dumps({"division": division.folder.name, **row, **scores})
    with (division.folder / "rows.jsonl").open("a", encoding="utf-8") as stream:
        stream.write(line + "\n")
    print(line, flush=True)


def stored(folder: Path) -> list[Row]:
    """The rows of a division."""
    path = folder / "rows.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


def report(rows: Sequence[Row]) -> None:
    """Print the rows of all divisions together: micro-averages, and means of text and answers."""
    print(f"{'passages':>8}  {'choice':8}{'divisions':>10}{'text':>8}{'answers':>8}{'minutes':>8}", end="")
    print("".join(f"{task.value:>12}" for task in TASKS))
    for key, own in groups(rows):
        passages, choice = key
        text, answers = (sum(row.get(name, 0) for row in own) / len(own) for name in ("text", "answers"))
        scores = [sum((Counts(*row[task.value]) for row in own), Counts()).f1 for task in TASKS]
        print(f"{passages:8}  {choice:8}{len(own):10}{text:8.4f}{answers:8.0f}", end="")
        print(f"{answers * SECONDS / 60:8.0f}" + "".join(f"{score:12.4f}" for score in scores))


def groups(rows: Sequence[Row]) -> Iterator[tuple[tuple[int, str], list[Row]]]:
    keys = sorted({(row["passages"], row["choice"]) for row in rows})
    for key in keys:
        yield key, [row for row in rows if (row["passages"], row["choice"]) == key]


if __name__ == "__main__":
    main()
