"""Trains the embedded model of keyphrases, `default.json` in `nlmchem/companions/keyphrases`, and counts its phrases.

    python -m benchmarks.retrain.keyphrases --data ../shared/data -o nlmchem/companions/keyphrases/

Checks the sha256 of the inputs (keyphrases.json beside this script), counts the phrases of the unlabelled articles
(`frequencies.safetensors`), and fits the model on the keywords of the authors of CC BY and CC0 articles. No key of
SemEval is used. `--table` takes a table that is there already.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from benchmarks.retrain.inputs import checked, made_by, parser_of, record, report
from benchmarks.retrain.sources import TEXTS, document_of, rows
from corpora.datasets.registry import listing, read_text, streams
from corpora.model.sections import INTRO, TITLE
from corpora.reading import ReadArticle, articles, read
from corpora.storage.inputs import expand
from nlmchem.companions.keyphrases import frequencies
from nlmchem.companions.keyphrases.candidates import Words, words_of
from nlmchem.companions.keyphrases.model import write
from nlmchem.companions.keyphrases.training import LabelledArticle, label, train

INPUTS = Path(__file__).with_suffix(".json")
LABELLED = ("indexing/jats.tar.gz", "pmc/jats.tar.gz")
LICENCES = "pmc/manifest.tsv.gz"
LICENCES_USED = ("cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc0")
LICENCE = (
    "Counts of phrases, as hashes, in articles of PubMed Central that their authors published under CC BY or CC0. The "
    "table contains no text. It may be used under the licence of nlmchem (Apache-2.0)."
)


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the command. Returns the card of the model, or the recorded hashes with `--record`."""
    given = parsed(arguments)
    if given.record:
        return dict(record(given.data, (*LABELLED, LICENCES, *TEXTS), given.inputs))
    inputs = checked(given.data, given.inputs)
    if not given.table:
        table = frequencies.count_articles(unlabelled(given.data), notes={"licence": LICENCE})
        frequencies.write(given.out / frequencies.DEFAULT.name, table)
    table = frequencies.read(given.out / frequencies.DEFAULT.name)
    report(f"{len(table):,} phrases of {table.articles:,} articles")
    card = {
        "name": "default",
        "licence": "Apache-2.0",
        "data": "keywords of the authors of articles of PubMed Central (CC BY, CC0), with the texts of these articles",
        "method": "logistic regression and boosted trees of scikit-learn; docs/reference/keyphrases.md",
        "phrases": len(table),
        "background_articles": table.articles,
        **made_by("keyphrases", arguments, inputs),
    }
    model = train(labelled(given.data), table, card=card, report=report)
    path = given.out / "default.json"
    write(path, model)
    report(f"{path}: {path.stat().st_size:,} bytes")
    return dict(model.card)


def parsed(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = parser_of(__doc__, INPUTS, "indexing/, pmc/ and text/")
    parser.add_argument("-o", "--out", type=Path, required=True, help="the folder for model and table")
    parser.add_argument("--table", action="store_true", help="use the table in the output folder")
    return parser.parse_args(arguments)


def labelled(data: Path) -> list[LabelledArticle]:
    """The articles whose licence is known to be CC BY or CC0, with their keywords; each article once."""
    kept = label(read([str(data / LABELLED[0])], report=report), report)
    known = licensed(data / LICENCES)
    more = [
        item.document
        for item in articles(expand([str(data / LABELLED[1])]), report)
        if isinstance(item, ReadArticle) and Path(item.place.partition(", member ")[2]).name in known
    ]
    keys = {article.key for article in kept}
    kept += [article for article in label(more, report) if article.key not in keys]
    return sorted(kept, key=lambda article: article.key)


def licensed(manifest: Path) -> set[str]:
    """The files of the manifest with a licence that is certain and is CC BY or CC0."""
    for entry, stream in streams(listing(manifest)):
        rows = [line.split("\t") for line in read_text(stream, entry).splitlines()]
        name, licence = rows[0].index("file"), rows[0].index("licence")
        return {row[name] for row in rows[1:] if row[licence] in LICENCES_USED}
    raise SystemExit(f"{manifest} is empty")


def unlabelled(data: Path) -> Iterator[Words]:
    """The words of the unlabelled articles; the first line of a text is its title."""
    for number, row in enumerate(rows(*(data / name for name in TEXTS)), 1):
        yield words_of(document(row["text"]))
        if number % 1000 == 0:
            report(f"{number} articles")


def document(text: str) -> BioCDocument:
    """A text as an article; each line is a passage."""
    made = document_of("", text.split("\n"))
    for number, passage in enumerate(made.passages):
        section, type = (INTRO, "paragraph") if number else (TITLE, "front")
        passage.infons = {"section_type": section, "type": type}
    return made


if __name__ == "__main__":
    main()
