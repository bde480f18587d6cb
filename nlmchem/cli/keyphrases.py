"""`nlmchem keyphrases list|explain`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.model.passages import passage_text
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.old_groups import group
from nlmchem.cli.shared import InputsArgument, JsonLinesOption
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bioc import BioCDocument

app = group("List the keyphrases of articles, or explain them.", default="list")

EXAMPLE = "Example: nlmchem keyphrases articles/ --json > keyphrases.jsonl"
EXPLAIN_EXAMPLE = "Example: nlmchem keyphrases explain article.nxml"

NumberOption = Annotated[
    int | None, typer.Option("--number", "-n", help="Number of keyphrases. [default: by their scores]")
]
ThresholdOption = Annotated[
    float | None, typer.Option(help="Lowest score of a keyphrase, 0 to 1. [default: that of the model]")
]
ModelOption = Annotated[str, typer.Option(help="default (the embedded model), or the path of a model (.json).")]


@app.command("list", epilog=EXAMPLE)
def list_keyphrases(
    inputs: InputsArgument,
    number: NumberOption = None,
    threshold: ThresholdOption = None,
    model: ModelOption = "default",
    as_json: JsonLinesOption = False,
) -> None:
    """List the keyphrases of articles, best first.

    Each line contains document, rank, score, phrase, its stem, and the number of occurrences. JSON also has the places.
    Keywords of the authors in the file are not used.
    """
    from nlmchem.companions.keyphrases.listing import COLUMNS, json_line, tsv_lines
    from nlmchem.companions.keyphrases.ranker import open_ranker

    ranker = open_ranker(model, threshold, number)

    def listed(document: BioCDocument) -> Iterable[str]:
        found = ranker(document)
        _warn(document, bool(found))
        return [json_line(str(document.id), found)] if as_json else tsv_lines(str(document.id), found)

    if not as_json:
        print("\t".join(COLUMNS))
    _print(inputs, listed)


@app.command("explain", epilog=EXPLAIN_EXAMPLE)
def explain(
    inputs: InputsArgument,
    number: NumberOption = None,
    threshold: ThresholdOption = None,
    model: ModelOption = "default",
    candidates: Annotated[int, typer.Option(help="Number of candidates.", min=1)] = 30,
    reasons: Annotated[int, typer.Option(help="Number of features for each candidate.", min=0)] = 5,
    as_json: JsonLinesOption = False,
) -> None:
    """Show which candidates become keyphrases, and the features behind their scores."""
    from nlmchem.companions.keyphrases.listing import explanation_as_json, explanation_as_text
    from nlmchem.companions.keyphrases.ranker import open_ranker

    ranker = open_ranker(model, threshold, number)

    def explained(document: BioCDocument) -> Iterable[str]:
        found = ranker.explain(document)
        return [explanation_as_json(found)] if as_json else explanation_as_text(found, candidates, reasons)

    _print(inputs, explained)


def _warn(document: BioCDocument, has_any: bool) -> None:
    """Warn of an article without keyphrases, and of one in another language."""
    from corpora.model.language import is_english, word_counts

    if not any(map(passage_text, document.passages)):
        warn(f"document {document.id} has no keyphrases, because it has no text")
    elif not has_any:
        warn(f"document {document.id} has no keyphrases with the lowest score; use --threshold or --number")
    if not is_english(word_counts(document)):
        warn(f"document {document.id} does not look like English; its keyphrases may be wrong")


def _print(sources: list[str], lines: Callable[[BioCDocument], Iterable[str]]) -> None:
    from corpora.reading import Fault, articles
    from corpora.storage.inputs import expand

    read, failed = 0, 0
    for item in articles(expand(sources), warn):
        if isinstance(item, Fault):
            warn(str(item))
            failed += 1
            continue
        read += 1
        for line in lines(item.document):
            sys.stdout.write(f"{line}\n")
    warn(f"{read} articles read, {failed} failed")
    if failed:
        raise typer.Exit(INCOMPLETE)
