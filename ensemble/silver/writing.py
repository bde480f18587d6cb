"""Writes a silver corpus: votes, leaves out articles by their licence, and writes shards, tables, card and record.

Between the vote and the files, the articles are in temporary files. Runs have their articles in any order; a corpus has
them in the order of their ids, so that equal runs give equal bytes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError, OptionError
from corpora.extras import require
from corpora.formats.format import Header
from corpora.formats.registry import named, readable, report_header_losses, suffix_of, writable
from corpora.model.metadata import is_english, join_key, word_counts
from corpora.reporting import Report, log
from corpora.storage import atomic
from corpora.storage.spool import SpoolWriter, read_record
from corpora.tools.leaks import Fingerprint, fingerprint, split
from corpora.words.licences import Licence, is_one_of, licence_of
from corpora.words.quantities import quantity
from corpora.writing import write_articles
from ensemble.combine import ENSEMBLE, Combiner, Rule, WrittenVote, write_json
from ensemble.runs import Poll
from ensemble.silver.card import CROISSANT, card, croissant
from ensemble.silver.record import About, CorpusFacts, LicenceCount, TableFile, run_facts, versions, write_record
from ensemble.silver.tables import FOLDER, serialized_row, write_table
from ensemble.votes import text_digest

_SHARDS, _ROWS = "shards", "rows"
"""The forms in which an article is stored."""
_SPLIT = re.compile(r"\w+", re.ASCII)


@dataclass(frozen=True, slots=True)
class CorpusPlan:
    """What is written of a silver corpus."""

    shard_size: int = 500
    """Articles in a file."""
    format: str = "biocxml"
    """The format of the shards; one that can be read again."""
    licences: tuple[str, ...] = ()
    """Only articles with one of these licences (empty: all)."""
    dataset: bool = False
    """Also a table and metadata for a data set."""
    shares: Mapping[str, float] = field(default_factory=lambda: {"train": 1.0})
    """The splits of the data set with their shares."""
    about: About = field(default_factory=About)
    """What its makers state."""

    def check(self) -> None:
        """Raise the errors that need no work to be found: `ConfigurationError`."""
        if self.shard_size < 1:
            raise OptionError("shard_size", f"is {self.shard_size}; use a number of documents from 1")
        # A silver corpus is read again, for training.
        readable(self.format)
        writable(self.format)
        if self.dataset:
            for name in self.shares:
                if not _SPLIT.fullmatch(name):
                    raise OptionError("splits", f"must be names of letters, digits and _, not {name!r}")
            if min(self.shares.values()) <= 0:
                raise OptionError("splits", "must be greater than 0, each")
            require("pyarrow", extra="parquet", purpose="a data set")


@dataclass(frozen=True, slots=True)
class StoredArticle:
    """An article: its licence, its place among all, and where its serialised forms are."""

    order: tuple[Any, ...]
    licence: Licence
    positions: Mapping[str, int]
    is_english: bool
    """By its words."""
    content: Fingerprint | None
    """By which copies of the article are found; None where nothing depends on that."""


class ArticleStore:
    """Articles, each in some serialised forms, in temporary files: one file for each form."""

    def __init__(
        self, folder: Path, forms: Mapping[str, Callable[[BioCDocument], bytes]], has_copies: bool, stack: ExitStack
    ) -> None:
        """`has_copies`: whether copies of an article are to be found (`StoredArticle.content`). `stack` has the files
        until all articles are stored."""
        self._forms = forms
        self._has_copies = has_copies
        self._stack = stack
        self._articles: list[StoredArticle] = []
        self._paths = {name: folder / f"{name}.articles" for name in forms}
        self._spools = {name: stack.enter_context(SpoolWriter(path)) for name, path in self._paths.items()}

    def add(self, document: BioCDocument, licence: Licence) -> None:
        """Store an article. Raises `ArticleError` for text that a form cannot store."""
        key = join_key(document)
        positions = {name: self._spools[name].append(serialize(document)) for name, serialize in self._forms.items()}
        # The numbers of PMC and PubMed in their order as numbers.
        order = (len(key), key, str(document.id), text_digest(document))
        content = fingerprint(document) if self._has_copies else None
        self._articles.append(StoredArticle(order, licence, positions, is_english(word_counts(document)), content))

    def articles(self) -> list[StoredArticle]:
        """All articles in the order of their ids. No article is added after this."""
        self._stack.close()
        return sorted(self._articles, key=lambda article: article.order)

    def read(self, form: str, articles: Iterable[StoredArticle]) -> Iterator[bytes]:
        """The serialised form of articles, one in memory at a time."""
        return (read_record(self._paths[form], article.positions[form]) for article in articles)


def write_silver(
    poll: Poll, rule: Rule, folder: Path, plan: CorpusPlan | None = None, report: Report = log
) -> WrittenVote:
    """Write a silver corpus into a folder: shards, a card (`README.md`) and a record (`manifest.json`).

    Every annotation has its score and voters. Raises the errors of `Poll.ballots` and of `CorpusPlan.check`,
    `ArticleError` for text that the format cannot store, and `ConfigurationError` where no article is left.
    """
    plan = plan or CorpusPlan()
    plan.check()
    combiner = Combiner(poll, rule)
    writer = writable(plan.format)
    forms: dict[str, Callable[[BioCDocument], bytes]] = {_SHARDS: lambda document: writer.dumps(document, report)}
    if plan.dataset:
        forms[_ROWS] = serialized_row
    with (
        TemporaryDirectory(prefix=".articles-", dir=folder, ignore_cleanup_errors=True) as temporary,
        ExitStack() as stack,
    ):
        store = ArticleStore(Path(temporary), forms, plan.dataset and len(plan.shares) > 1, stack)
        left_out = _vote(poll, combiner, plan, store)
        articles = store.articles()
        shards = _write_shards(store, articles, plan, poll, folder, report)
        tables = _write_tables(store, articles, plan, folder) if plan.dataset else ()
    licences = Counter(article.licence for article in articles)
    facts = CorpusFacts(
        annotator=combiner.signature,
        rule=rule,
        runs=run_facts(poll),
        counts={**combiner.counts.as_dict(), "not_english": sum(not article.is_english for article in articles)},
        licences=tuple(
            LicenceCount(licence.code, licence.url, number)
            for licence, number in sorted(licences.items(), key=lambda pair: (-pair[1], pair[0].code, pair[0].url))
        ),
        wanted=plan.licences,
        left_out=dict(sorted(left_out.items())),
        format_title=named(plan.format).title,
        shards=shards,
        tables=tables,
        shares=plan.shares if plan.dataset else {},
        about=plan.about,
        versions=versions() if plan.dataset else versions(("nlmchem",)),
    )
    atomic.write_text(folder / "README.md", card(facts))
    if plan.dataset:
        write_json(folder / CROISSANT, croissant(facts, folder))
    # The record is the last file, because it has the hashes of all others.
    return WrittenVote(combiner.counts, facts.shards, write_record(folder, facts.as_dict()))


def _vote(poll: Poll, combiner: Combiner, plan: CorpusPlan, store: ArticleStore) -> Counter[str]:
    """Store the voted articles. Returns the numbers of articles that were left out, by their licence."""
    left_out: Counter[str] = Counter()
    for ballot in poll.ballots():
        licence = licence_of(ballot.document)
        if plan.licences and not is_one_of(licence.code, plan.licences):
            left_out[licence.code] += 1
        else:
            store.add(combiner(ballot), licence)
    if not combiner.counts.documents:
        licences = ", ".join(f"{code} {number}" for code, number in sorted(left_out.items()))
        raise OptionError("licence", f"leaves no article: their licences are {licences}; name one of these")
    return left_out


def _write_shards(
    store: ArticleStore, articles: Sequence[StoredArticle], plan: CorpusPlan, poll: Poll, folder: Path, report: Report
) -> tuple[dict[str, Any], ...]:
    """Write the shards. Returns the name and the number of documents of each."""
    writer, suffix = writable(plan.format), suffix_of(plan.format)
    header = Header(source=ENSEMBLE, key=f"silver {poll.digest[:12]}")
    report_header_losses(header, plan.format, report)
    shards = []
    parts = _parts(articles, plan.shard_size)
    for position, part in enumerate(parts, 1):
        name = f"silver{suffix}" if len(parts) == 1 else f"silver-{position:04}-of-{len(parts):04}{suffix}"
        write_articles(writer, store.read(_SHARDS, part), header, folder / name)
        shards.append({"name": name, "documents": len(part)})
    return tuple(shards)


def _write_tables(
    store: ArticleStore, articles: Sequence[StoredArticle], plan: CorpusPlan, folder: Path
) -> tuple[TableFile, ...]:
    """Write the files of each split."""
    files = []
    for name, members in split_articles(articles, plan.shares).items():
        parts = _parts(members, plan.shard_size)
        for number, part in enumerate(parts):
            path = f"{FOLDER}/{name}-{number:05}-of-{len(parts):05}.parquet"
            write_table(folder / path, store.read(_ROWS, part))
            files.append(TableFile(name, path, len(part)))
    return tuple(files)


def _parts(articles: Sequence[StoredArticle], size: int) -> list[Sequence[StoredArticle]]:
    return [articles[start : start + size] for start in range(0, len(articles), size)]


def split_articles(articles: Sequence[StoredArticle], shares: Mapping[str, float]) -> dict[str, list[StoredArticle]]:
    """The articles of each split, by the hash of their ids and words. Copies of an article are in the same split.

    Raises `ConfigurationError` for a split without articles.
    """
    if len(shares) == 1:
        return {next(iter(shares)): list(articles)}
    prints = [article.content for article in articles if article.content is not None]
    parts = split(prints, shares)
    splits = {name: [article for article, part in zip(articles, parts, strict=True) if part == name] for name in shares}
    for name, members in splits.items():
        if not members:
            raise ConfigurationError(
                f"the split {name!r} has no article: there are {quantity(len(articles), 'article')}; "
                "use fewer splits, or a larger share"
            )
    return splits
