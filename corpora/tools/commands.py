"""`nlmchem corpora list`, `info`, `stats`, `split` and `leaks`, and the options that name articles or a corpus."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import DONE, INCOMPLETE, Call, Command, Progress, Result, ResultTable, record
from corpora.commands.options import argument, group, option
from corpora.commands.shared import out_folder, seed_option
from corpora.errors import ConfigurationError, command
from corpora.formats.registry import mention_names
from corpora.reporting import Report, ignore

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.tools.leaks import Fingerprint


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusInputs:
    """Articles, or folders of a corpus."""

    inputs: tuple[str, ...] = argument(
        "Files, folders, glob patterns or archives; with `corpus` folders of that corpus.", metavar="INPUT..."
    )
    corpus: str | None = option(None, "Read INPUT as this corpus (see `corpora list`).", metavar="NAME")
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")

    def documents(self, report: Report) -> Iterator[BioCDocument]:
        """The articles, one at a time."""
        from corpora.datasets.registry import documents

        return documents(self.inputs, self.corpus, self.split, report)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsOptions:
    name: str = argument("A corpus (see `corpora list`); none: any articles.", metavar="[NAME]")
    folder: str | None = argument("The folder of the corpus, or articles.", default=None, metavar="[FOLDER]")
    split: str | None = option(None, "Read only this split.", metavar="NAME", default_text="all splits")


def corpora_stats(options: StatsOptions, progress: Progress) -> Result:
    """Count the articles and annotations of a corpus, check all offsets, and compare the counts with the data card.

    Without NAME, FOLDER contains any articles, and there is no data card. The exit code is 3 if the counts differ.
    """
    from corpora.datasets import cards, open_corpus
    from corpora.datasets.registry import documents
    from corpora.tools.statistics import compare, measure

    counts: dict[str, dict[str, int]] = {}
    differences: list[str] = []
    if options.folder is None:
        if options.name in cards() and not Path(options.name).exists():
            remedy = command(f"corpora stats {options.name} FOLDER")
            raise ConfigurationError(f"{options.name} is a corpus; name its folder: {remedy}")
        counts["all"] = measure(documents([options.name], split=options.split, report=progress))
        if not counts["all"]:
            raise ConfigurationError(f"no article found in {options.name}; check the path")
    else:
        corpus = open_corpus(options.name, options.folder)
        for part in [options.split] if options.split is not None else list(corpus.form.splits):
            counts[part] = measure(corpus.read(part, progress))
            differences += compare(corpus.card, part, counts[part])
    name = options.name if options.folder else None
    rows = ((part, what, number) for part, of_part in counts.items() for what, number in of_part.items())
    return Result(
        objects=({"corpus": name, "splits": counts, "differences": differences},),
        table=ResultTable(("split", "what", "number"), rows),
        problems=differences,
        exit_code=INCOMPLETE if differences else DONE,
    )


STATS = Command(
    "corpora stats", StatsOptions, corpora_stats,
    Call({"name": "bc5cdr", "folder": "downloads/bc5cdr/"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOptions:
    articles: CorpusInputs = group(CorpusInputs)
    out: Path = out_folder()
    shares: str = option(
        "train=0.8,dev=0.1,test=0.1", "Names of the parts and their shares of the articles.", metavar="PART=SHARE,..."
    )
    folds: int | None = option(None, "Make this number of equal folds instead of parts.", minimum=2)
    seed: int = seed_option()
    format: str = option("biocxml", f"Output format: {', '.join(mention_names())}.", metavar="NAME", short="f")


def corpora_split(options: SplitOptions, progress: Progress) -> Result:
    """Split articles into parts, one file for each part. The same articles and seed always give the same parts.

    Copies of an article (same id, DOI or text) go into the same part.
    """
    from corpora.formats import registry
    from corpora.storage.owned_files import OwnedFolder
    from corpora.tools.leaks import fingerprint, folds, parse_shares, split
    from corpora.writing import write

    out, seed = options.out, options.seed
    owned = OwnedFolder(out)
    prints = [fingerprint(document) for document in options.articles.documents(progress)]
    if options.folds is not None:
        parts = [f"fold-{number + 1}" for number in folds(prints, options.folds, seed)]
    else:
        shares = parse_shares(options.shares, "shares")
        parts = split(prints, shares, seed)
        for part in sorted(shares.keys() - set(parts)):
            progress(f"the part {part!r} has no article, so it has no file; give it a larger share, or more articles")
    suffix = registry.suffix_of(options.format)
    owned.check(*(f"{part}{suffix}" for part in set(parts)))
    written: dict[str, int] = {}
    with owned.staging() as folder:
        for part in sorted(set(parts)):
            # The inputs are read again for each part, so that only one article is in memory.
            again = options.articles.documents(ignore)
            members = (document for document, its in zip(again, parts, strict=True) if its == part)
            written[part] = write(members, folder / f"{part}{suffix}", options.format, report=progress)
    return Result(
        objects=({"parts": written, "out": str(out)},),
        table=ResultTable(("part", "articles"), written.items()),
        files=tuple(out / f"{part}{suffix}" for part in written),
    )


SPLIT = Command(
    "corpora split", SplitOptions, corpora_split,
    Call({"inputs": ["corpus.xml"], "out": "parts/", "shares": "train=0.8,dev=0.1,test=0.1"}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakOptions:
    left: str = argument("Path of articles; for a corpus NAME=FOLDER or NAME/SPLIT=FOLDER.")
    right: str = argument("The other articles, in the same form.")


def corpora_leaks(options: LeakOptions, progress: Progress) -> Result:
    """Find articles that are on both sides, by id, DOI or nearly identical text.

    The exit code is 3 if there are any.
    """
    from corpora.tools.leaks import describe, leaks

    shared = leaks(_fingerprints(options.left), _fingerprints(options.right))
    fields = [{"left": leak.left, "right": leak.right, "by": leak.by, "share": round(leak.share, 4)} for leak in shared]
    rows = [(leak.left, leak.right, leak.by, f"{leak.share:.4f}") for leak in shared]
    return Result(
        objects=fields,
        table=ResultTable(("left", "right", "by", "share"), rows),
        notes=[describe(shared, options.left, options.right)],
        exit_code=INCOMPLETE if shared else DONE,
        value=shared,
    )


def _fingerprints(side: str) -> Iterator[Fingerprint]:
    """The articles of `NAME=FOLDER` or `NAME/SPLIT=FOLDER` (a corpus), or of a path."""
    from corpora.datasets import cards
    from corpora.datasets.registry import documents
    from corpora.tools.leaks import fingerprint

    given, _, folder = side.partition("=")
    name, _, part = given.partition("/")
    if folder and name in cards():
        articles = documents([folder], name, part or None, ignore)
    else:
        articles = documents([side], report=ignore)
    return map(fingerprint, articles)


LEAKS = Command("corpora leaks", LeakOptions, corpora_leaks, Call({"left": "train.xml", "right": "test.xml"}))
