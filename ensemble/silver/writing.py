"""Writes a silver corpus: votes, leaves out articles by their licence, and writes shards, tables, card and record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from corpora.errors import OptionError
from corpora.extras import require
from corpora.formats.format import Header
from corpora.formats.registry import named, readable, report_header_losses, suffix_of, writable
from corpora.model.licences import licence_of
from corpora.reporting import Report, log
from corpora.storage import atomic
from corpora.words.licences import is_one_of
from corpora.writing import write_articles
from ensemble.combine import Combiner, Rule
from ensemble.output import ENSEMBLE, WrittenVote, write_json
from ensemble.runs import Poll
from ensemble.silver.about import About
from ensemble.silver.articles import ArticleStore, Serialize, StoredArticle, article_store
from ensemble.silver.card import card
from ensemble.silver.croissant import CROISSANT, croissant
from ensemble.silver.facts import CorpusFacts, LicenceCount, run_facts
from ensemble.silver.record import versions, write_record
from ensemble.silver.tables import schemas, serializer, split_articles, write_tables

_SHARDS = "shards"
_SPLIT = re.compile(r"\w+", re.ASCII)


@dataclass(frozen=True, slots=True)
class CorpusPlan:
    """What is written of a silver corpus.

    `shard_size`: articles in a file. `format`: of the shards; one that can be read again. `licences`: only articles
    with one of these licences (empty: all). `dataset`: also tables and metadata for a data set. `shares`: the splits of
    the data set with their shares. `bigbio`: also tables in the schema of BigBio. `about`: what its makers state.
    """

    shard_size: int = 500
    format: str = "biocxml"
    licences: tuple[str, ...] = ()
    dataset: bool = False
    shares: Mapping[str, float] = field(default_factory=lambda: {"train": 1.0})
    bigbio: bool = False
    about: About = field(default_factory=About)

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

    def forms(self, report: Report) -> dict[str, Serialize]:
        """How an article is serialised for each kind of file."""
        writer = writable(self.format)
        forms: dict[str, Serialize] = {_SHARDS: lambda document: writer.dumps(document, report)}
        if self.dataset:
            forms |= {schema.name: serializer(schema) for schema in schemas(self.bigbio)}
        return forms


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
    with article_store(folder, plan.forms(report), has_copies=plan.dataset and len(plan.shares) > 1) as store:
        left_out = _vote(poll, combiner, plan, store)
        articles = store.articles()
        shards = _write_shards(store, articles, plan, poll, folder, report)
        splits = split_articles(articles, plan.shares) if plan.dataset else {}
        tables = write_tables(store, schemas(plan.bigbio), splits, plan.shard_size, folder)
    facts = CorpusFacts(
        annotator=combiner.signature,
        rule=rule,
        runs=run_facts(poll),
        counts={**combiner.counts.as_dict(), "not_english": sum(not article.is_english for article in articles)},
        licences=_licences(articles),
        wanted=plan.licences,
        left_out=dict(sorted(left_out.items())),
        format_title=named(plan.format).title,
        shards=tuple(shards),
        tables=tuple(tables),
        shares=plan.shares if plan.dataset else {},
        about=plan.about,
        versions=versions() if plan.dataset else versions(("nlmchem",)),
    )
    return _write_papers(facts, combiner, folder)


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
) -> list[dict[str, object]]:
    writer, suffix = writable(plan.format), suffix_of(plan.format)
    header = Header(source=ENSEMBLE, key=f"silver {poll.digest[:12]}")
    report_header_losses(header, plan.format, report)
    number = -(-len(articles) // plan.shard_size)
    shards: list[dict[str, object]] = []
    for position in range(number):
        part = articles[position * plan.shard_size : (position + 1) * plan.shard_size]
        name = f"silver{suffix}" if number == 1 else f"silver-{position + 1:04}-of-{number:04}{suffix}"
        write_articles(writer, store.read(_SHARDS, part), header, folder / name)
        shards.append({"name": name, "documents": len(part)})
    return shards


def _licences(articles: Sequence[StoredArticle]) -> tuple[LicenceCount, ...]:
    counts = Counter(article.licence for article in articles)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0].code, pair[0].url))
    return tuple(LicenceCount(licence.code, licence.url, number) for licence, number in ordered)


def _write_papers(facts: CorpusFacts, combiner: Combiner, folder: Path) -> WrittenVote:
    """Write what describes the corpus; the record is the last file, because it has the hashes of all others."""
    atomic.write_text(folder / "README.md", card(facts))
    if facts.tables:
        write_json(folder / CROISSANT, croissant(facts, folder))
    record = write_record(folder, facts.as_dict())
    return WrittenVote(combiner.counts, facts.shards, record)
