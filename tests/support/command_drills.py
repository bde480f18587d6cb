"""Drills of the commands that write a folder or a file, as the command line runs them; `DRILLS` has all drills."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Callable
from functools import partial

import pmc_articles
import run_drills
import training_drills
from companion_cases import cases
from run_drills import Drill, Place
from small_mesh import write_mesh

from nlmchem.engine.executors import InlineExecutor

__all__ = ["DRILLS"]

ANNOTATE = ("--steps", "abbreviate", "--workers", "1", "-o", "{work}/out")
PARTS = ("annotate", "{in}/pmc", "--format", "jsonl", "--per-file", "2", "--prune", *ANNOTATE)
VOTED = ("{in}/a", "{in}/b", "--workers", "1", "--restart", "-o", "{work}/out")
COMMANDS: dict[str, tuple[str, ...]] = {
    "annotate by the command": ("annotate", "{in}/a", *ANNOTATE),
    "annotate into tables": ("annotate", "{in}/a", "--format", "parquet", "--per-file", "5", *ANNOTATE),
    "annotate into a file": ("annotate", "{in}/a", "--steps", "abbreviate", "--workers", "1", "-o", "{work}/out.jsonl"),
    "convert into a file": ("convert", "{in}/a", "-o", "{work}/out.jsonl"),
    "view by the command": ("view", "{in}/a", "--lexicon", "starter", "-o", "{work}/out.html"),
    "ensemble": ("ensemble", "identifiers", "--gold", "{in}/a", "--samples", "10", *VOTED),
    "ensemble agreement": ("ensemble", "agreement", *VOTED),
    "silver vote": ("silver", "vote", *VOTED),
    "evaluate report": ("evaluate", "spans", "{in}/a", "{in}/b", "--samples", "10", "--report", "{work}/out"),
    "summary": ("summary", "{in}/a", "-o", "{work}/out.html"),
    "submit": (
        *("submit", "{in}/b", "--reference", "{in}/a", "--task", "identification", "--team", "9", "--run", "1"),
        *("-o", "{work}/out"),
    ),
    "corpora convert": ("corpora", "convert", "pmc-jats", "{in}/keys", "-o", "{work}/out.jsonl"),
    "corpora split": ("corpora", "split", "{in}/a", "--folds", "2", "-o", "{work}/out"),
    "corpora dictionary": ("corpora", "dictionary", "{in}/a", "--samples", "-o", "{work}/out"),
    "lexicon build": (
        *("lexicon", "build", "--desc", "{in}/desc2024.xml", "--supp", "{in}/supp2024.xml.gz"),
        # The names that come with nlmchem take half a minute.
        *("--no-shipped-names", "-o", "{work}/out.sqlite"),
    ),
    "lexicon migrate": ("lexicon", "migrate", "{in}/a", "--to", "2026", "-o", "{work}/out"),
    "lexicon export": ("lexicon", "export", "--lexicon", "starter", "-o", "{work}/out.ttl"),
    "train indexer": (
        *("train", "indexer", "{in}/a", "--gold", "{in}/gold.jsonl", "--lexicon", "starter"),
        *("-o", "{work}/out.json"),
    ),
    **cases("COMMANDS"),
}
PREPARED: dict[str, tuple[str, ...]] = cases("PREPARED")
"""Commands over what `prepared_inputs` writes."""


def run(words: tuple[str, ...], place: Place) -> str:
    """Run a command in this process. Returns what it prints. Raises its error."""
    from nlmchem.cli.app import program
    from nlmchem.engine import runner

    runner.LocalExecutor = InlineExecutor  # type: ignore[assignment, misc]
    known = {"in": place.inputs, "work": place.out.parent}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        program().main([word.format_map(known) for word in words], standalone_mode=False)
    return printed.getvalue()


def inputs(place: Place) -> None:
    """Two runs over 12 articles, articles with keywords, gold terms, and a small MeSH."""
    for name in ("a", "b"):
        (place.inputs / name).mkdir(parents=True)
        documents = [_document(number, every=1 if name == "a" else 3) for number in range(12)]
        (place.inputs / name / "all.json").write_text(json.dumps({"documents": documents}))
    gold = ({"id": str(n), "chemicals": [["MESH:D005947", "glucose"]] if n % 2 == 0 else []} for n in range(12))
    (place.inputs / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in gold))
    (place.inputs / "keys").mkdir()
    for number, topic in enumerate(("zinc uptake", "membrane transport", "leaf senescence", "soil water") * 3):
        text = f"<article><front><article-meta><article-id pub-id-type='pmid'>{number}</article-id>"
        text += f"<title-group><article-title>The {topic} of plants</article-title></title-group>"
        text += f"<abstract><p>We studied {topic} in roots. The {topic} was high.</p></abstract>"
        text += f"<kwd-group><kwd>{topic}</kwd></kwd-group></article-meta></front></article>"
        (place.inputs / "keys" / f"{number}.nxml").write_text(text)
    write_mesh(place.inputs)


def prepared_inputs(place: Place) -> None:
    """The inputs, and what commands of companions make of them, such as a selection of their passages."""
    inputs(place)
    for words in cases("PREPARATION").values():
        run(words, place)


def changed_articles(place: Place) -> None:
    """A finished run over a folder of PMC, in which articles are then added, replaced and withdrawn."""
    pmc = pmc_articles.add_all(place.inputs / "pmc")
    for id in range(1, 4):
        pmc_articles.add(pmc, id, 1, "zinc")
    run(PARTS, place)
    pmc_articles.add(pmc, 1, 2, "iron")
    pmc_articles.add(pmc, 4, 1, "lead")
    shutil.rmtree(pmc / "PMC2.1")


def finished_run(place: Place) -> None:
    """A run that `search` can make an index of."""
    inputs(place)
    run(("convert", "{in}/a", "{work}/out", "--format", "jsonl"), place)


def search(place: Place) -> None:
    """The first search makes an index. What it prints is kept in a file."""
    answer = run(("search", "{work}/out", "glucose", "--lexicon", "starter", "--json"), place)
    (place.out.parent / "answer.json").write_text(answer)


def annotate_and_search(place: Place) -> None:
    """A run records facts of its articles, which the search uses."""
    run(COMMANDS["annotate by the command"], place)
    search(place)


def _document(number: int, every: int) -> dict[str, object]:
    name, id = (("glucose", "MESH:D005947"), ("ethanol", "MESH:D000431"))[number % 2]
    text = f"Alanine aminotransferase (ALT) and {name} {number} were measured. More {name}."
    start = text.index(name)
    mention = {"id": "1", "infons": {"type": "Chemical", "identifier": id}, "text": name}
    mentions = [] if number % every else [{**mention, "locations": [{"offset": start, "length": len(name)}]}]
    passage = {"offset": 0, "infons": {"type": "title"}, "text": text, "annotations": mentions}
    return {"id": str(number), "passages": [passage]}


def _drill(name: str, words: tuple[str, ...], prepare: Callable[[Place], None] = inputs) -> Drill:
    command: Callable[[Place], object] = partial(run, words)
    return Drill(name, prepare, command, after_error=command)


DRILLS = {
    **run_drills.DRILLS,
    **{name: _drill(name, words) for name, words in COMMANDS.items()},
    **{name: _drill(name, words, prepared_inputs) for name, words in PREPARED.items()},
    "annotate a changed folder": _drill("annotate a changed folder", PARTS, changed_articles),
    "annotate and search": Drill("annotate and search", inputs, annotate_and_search, after_error=annotate_and_search),
    "search": Drill("search", finished_run, search, after_error=search),
    **{drill.name: drill for drill in training_drills.drills(run)},
}
