"""`nlmchem index list`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.progress import Progress
from corpora.commands.result import Result
from corpora.commands.shared import annotated_argument


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexListOptions:
    """The options of `nlmchem index list`."""

    annotated: tuple[str, ...] = annotated_argument()


def index_list(options: IndexListOptions, progress: Progress) -> Result:
    """List the index terms of annotated articles, best first: a TSV table with one line for each term."""
    from corpora.reading import read
    from indexing.terms.listing import as_objects, tsv_lines

    result = Result()

    def lines() -> Iterator[str]:
        header, *first = islice(rows := tsv_lines(read(options.annotated, report=progress)), 2)
        yield header
        yield from chain(first, rows)
        if not first:
            result.notes.append("no index term was found; annotate the articles first, with the step index")

    result.lines = lines()
    result.objects = as_objects(read(options.annotated, report=progress))
    return result


LIST = Command("index list", IndexListOptions, index_list, Call({"annotated": ["annotated/"]}, into="terms.tsv"))
