"""`nlmchem corpora split|leaks`: parts of a corpus, and articles that two corpora share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from corpora.formats.registry import mention_names
from corpora.reporting import ignore
from nlmchem.cli.exit_codes import INCOMPLETE
from nlmchem.cli.shared import (
    CorpusInputsArgument,
    CorpusOption,
    JsonOption,
    OutFolderOption,
    SeedOption,
    SplitOption,
)
from nlmchem.commands.progress import warn

if TYPE_CHECKING:
    from corpora.tools.leaks import Fingerprint

SPLIT_EXAMPLE = "Example: nlmchem corpora split corpus.xml -o parts/ --shares train=0.8,dev=0.1,test=0.1"
LEAKS_EXAMPLE = "Example: nlmchem corpora leaks train.xml test.xml"


def split(
    inputs: CorpusInputsArgument,
    out: OutFolderOption,
    shares: Annotated[
        str, typer.Option(metavar="PART=SHARE,...", help="Names of the parts and their shares of the articles.")
    ] = "train=0.8,dev=0.1,test=0.1",
    folds: Annotated[int | None, typer.Option(help="Make this number of equal folds instead of parts.", min=2)] = None,
    seed: SeedOption = 0,
    corpus: CorpusOption = None,
    split: SplitOption = None,
    format: Annotated[str, typer.Option(help=f"Output format: {', '.join(mention_names())}.")] = "biocxml",
    as_json: JsonOption = False,
) -> None:
    """Split articles into parts, one file for each part. The same articles and seed always give the same parts.

    Copies of an article (same id, DOI or text) go into the same part.
    """
    from corpora.datasets.registry import documents
    from corpora.formats import registry
    from corpora.storage.owned_folder import OwnedFolder
    from corpora.tools.leaks import fingerprint
    from corpora.tools.splits import folds as fold_of
    from corpora.tools.splits import split as part_of
    from corpora.writing import write

    owned = OwnedFolder(out)

    prints = [fingerprint(document) for document in documents(inputs, corpus, split, warn)]
    if folds is not None:
        parts = [f"fold-{number + 1}" for number in fold_of(prints, folds, seed)]
    else:
        parts = part_of(prints, _shares(shares), seed)
        for part in sorted(_shares(shares).keys() - set(parts)):
            warn(f"the part {part!r} has no article, so it has no file; give it a larger share, or split more articles")
    suffix = registry.suffix_of(format)
    owned.check(*(f"{part}{suffix}" for part in set(parts)))
    written: dict[str, int] = {}
    with owned.staging() as folder:
        for part in sorted(set(parts)):
            # The inputs are read again for each part, so that only one article is in memory.
            again = documents(inputs, corpus, split, ignore)
            members = (document for document, its in zip(again, parts, strict=True) if its == part)
            written[part] = write(members, folder / f"{part}{suffix}", format, report=warn)
    if as_json:
        print(json.dumps({"parts": written, "out": str(out)}))
        return
    print("part\tarticles")
    for part, number in written.items():
        print(f"{part}\t{number}")


def leaks(
    left: Annotated[
        str, typer.Argument(metavar="LEFT", help="Path of articles; for a corpus NAME=FOLDER or NAME/SPLIT=FOLDER.")
    ],
    right: Annotated[str, typer.Argument(metavar="RIGHT", help="The other articles, in the same form.")],
    as_json: JsonOption = False,
) -> None:
    """Find articles that are on both sides, by id, DOI or nearly identical text.

    The exit code is 3 if there are any.
    """
    from corpora.tools.leaks import describe
    from corpora.tools.leaks import leaks as find_leaks

    found = find_leaks(_fingerprints(left), _fingerprints(right))
    if as_json:
        rows = [
            {"left": leak.left, "right": leak.right, "by": leak.by, "share": round(leak.share, 4)} for leak in found
        ]
        print(json.dumps(rows, indent=1))
    else:
        print("left\tright\tby\tshare")
        for leak in found:
            print(f"{leak.left}\t{leak.right}\t{leak.by}\t{leak.share:.4f}")
    warn(describe(found, left, right))
    if found:
        raise typer.Exit(INCOMPLETE)


def _fingerprints(side: str) -> Iterator[Fingerprint]:
    """The articles of `NAME=FOLDER` or `NAME/SPLIT=FOLDER` (a corpus), or of a path."""
    from corpora.datasets import cards
    from corpora.datasets.registry import documents
    from corpora.tools.leaks import fingerprint

    given, _, folder = side.partition("=")
    name, _, part = given.partition("/")
    if folder and name in cards():
        found = documents([folder], name, part or None, ignore)
    else:
        found = documents([side], report=ignore)
    return map(fingerprint, found)


def _shares(text: str) -> dict[str, float]:
    from corpora.errors import OptionError

    try:
        return {part.strip(): float(share) for part, share in (item.split("=") for item in text.split(","))}
    except ValueError:
        raise OptionError("shares", f"must be parts with shares, such as train=0.8,test=0.2, not {text!r}") from None
