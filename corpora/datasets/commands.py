"""`nlmchem corpora list` and `nlmchem corpora info`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpora.commands.call import Call
from corpora.commands.command import Command
from corpora.commands.options import argument
from corpora.commands.progress import Progress
from corpora.commands.result import Result, record


@dataclass(frozen=True, slots=True, kw_only=True)
class CorporaListOptions:
    """The options of `nlmchem corpora list`: none."""


def corpora_list(options: CorporaListOptions, progress: Progress) -> Result:
    """List the corpora that can be read."""
    from corpora.datasets import cards

    def lines() -> Iterator[str]:
        yield f"{'NAME':18} {'KIND':18} TITLE"
        for card in cards().values():
            yield f"{card.name:18} {card.kind:18} {card.title}"

    return Result(objects=map(card_fields, cards()), lines=lines())


LIST = Command("corpora list", CorporaListOptions, corpora_list, Call({}))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorporaInfoOptions:
    """The options of `nlmchem corpora info`."""

    name: str = argument("A corpus (see `corpora list`).")
    folder: Path | None = argument(
        "The folder of the corpus, to list the splits in it.", default=None, metavar="[FOLDER]"
    )


def corpora_info(options: CorporaInfoOptions, progress: Progress) -> Result:
    """Show the data card of a corpus: source, licence, counts and citation."""
    from corpora.datasets import open_corpus

    facts = card_fields(options.name)
    if options.folder is not None:
        corpus = open_corpus(options.name, options.folder)
        facts["found"] = {"form": corpus.form.name, "splits": list(corpus.splits)}
    lines = (f"{key}: {fact if isinstance(fact, str) else json.dumps(fact)}" for key, fact in facts.items() if fact)
    return record(facts, *lines)


INFO = Command(
    "corpora info", CorporaInfoOptions, corpora_info, Call({"name": "bc5cdr", "folder": "downloads/bc5cdr/"})
)


def card_fields(name: str) -> dict[str, Any]:
    """The data card of a corpus as JSON values. Raises `ConfigurationError` for an unknown name."""
    from corpora.datasets import card

    known = card(name)
    texts = {key: getattr(known, key) for key in ("name", "title", "kind", "source", "licence", "use", "citation")}
    forms = {form.name: list(form.splits) for form in known.forms}
    return {**texts, "notes": known.notes, "forms": forms, "counts": dict(known.counts)}
