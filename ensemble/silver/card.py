"""The data card of a silver corpus as Markdown, with the metadata that the Hugging Face Hub reads (YAML).

Its readers do not know nlmchem: what is it, may I use it, how do I load it, how was it made, what is wrong with it. It
has no date, so equal corpora have equal cards.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from corpora.errors import command
from corpora.words.licences import OTHER, UNKNOWN
from corpora.words.quantities import quantity
from ensemble.silver.facts import CorpusFacts, LicenceCount
from ensemble.silver.fields import TableSchema, documented
from ensemble.silver.statements import BIASES, LANGUAGE, LIMITATIONS, PERSONAL, TAGS, USES, method, summary

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "1M<n<10M"
_HUB_LICENCES = frozenset((
    "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc-by-nc-2.0",
    "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nd-4.0", "cc-by-nc-nd-3.0", "cc-by-nc-nd-4.0", "cc-by-nc-sa-2.0",
    "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0",
))  # fmt: skip
"""The names of licences that the Hub knows."""

_SPLITS = (
    "An article belongs to a split by the hash of its ids and words. Copies of an article (the same PMCID, PMID or "
    "DOI, or nearly the same text) are in the same split."
)
_LICENCES = (
    "Each article has its own licence, by its file or by the metadata of PubMed Central; the column `license` and the "
    "infon `license` state it. Where an article states several, the strictest one is listed. The annotations of an "
    "article may be used as its text. If you pass on an article, name it: `pmcid` and `doi` lead to its authors. "
    "Identifiers are of MeSH, by courtesy of the U.S. National Library of Medicine."
)
_OFFSETS = (
    "Offsets count Unicode code points from the start of the document. For a passage and a mention of one piece: "
    '`passage["text"][start - passage["offset"] : end - passage["offset"]] == text`.'
)
_SCORES = (
    "Every annotation has its score (the share of the runs) and its voters. So a corpus with a higher threshold is "
    "made by dropping annotations with lower scores; merged spans stay merged."
)


def card(facts: CorpusFacts) -> str:
    """The card."""
    sections: list[Iterable[str]] = [_what(facts)]
    if facts.tables:
        sections = [_metadata(facts), _what(facts), _loading(facts)]
    sections += [_counts(facts), _licences(facts)]
    if facts.tables:
        sections.append(_columns(facts.tables[0].schema))
    sections += [_runs(facts), _method(facts), _uses(), _checking(facts)]
    return "\n".join(line for section in sections for line in section)


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], numbers: Sequence[int] = ()) -> Iterator[str]:
    """A table; the columns at the places `numbers` are set to the right."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join('---:' if place in numbers else '---' for place in range(len(columns)))}|"
    for row in rows:
        cells = (f"{cell:,}" if isinstance(cell, int) else str(cell).replace("|", "\\|") for cell in row)
        yield f"| {' | '.join(cells)} |"
    yield ""


# -- for the Hub ----------------------------------------------------------------------------------


def _metadata(facts: CorpusFacts) -> Iterator[str]:
    licences = sorted({_hub_licence(licence) for licence in facts.licences})
    yield "---"
    yield f"pretty_name: {json.dumps(facts.about.title, ensure_ascii=False)}"
    yield from _listed("language", [LANGUAGE])
    yield from _listed("license", licences)
    if "other" in licences:
        yield "license_name: by-article"
        yield "license_link: README.md"
    yield from _listed("annotations_creators", ["machine-generated"])
    yield from _listed("language_creators", ["found"])
    size = next((name for limit, name in _SIZES if facts.counts["documents"] < limit), _LARGEST)
    yield from _listed("size_categories", [size])
    yield from _listed("task_categories", ["token-classification"])
    yield from _listed("task_ids", ["named-entity-recognition"])
    yield from _listed("tags", TAGS)
    yield "configs:"
    for number, schema in enumerate(dict.fromkeys(file.schema for file in facts.tables)):
        yield f"- config_name: {schema.name}"
        if number == 0:
            yield "  default: true"
        yield "  data_files:"
        for name in facts.splits:
            yield f"  - split: {name}"
            yield f"    path: {schema.folder}/{name}-*.parquet"
    yield from ("---", "")


def _listed(key: str, values: Iterable[str]) -> Iterator[str]:
    yield f"{key}:"
    yield from (f"- {value}" for value in values)


def _hub_licence(licence: LicenceCount) -> str:
    """The name that the Hub has for a licence: with a version, `cc` for one of Creative Commons without it."""
    if licence.licence == UNKNOWN:
        return "unknown"
    version = licence.url.rstrip("/").rpartition("/")[2]
    name = f"{licence.licence.lower().replace(' ', '-')}-{version}"
    if name in _HUB_LICENCES:
        return name
    return "cc" if licence.licence.startswith("CC") else "other"


# -- for readers ----------------------------------------------------------------------------------


def _what(facts: CorpusFacts) -> Iterator[str]:
    yield from (f"# {facts.about.title}", "", summary(facts), "")
    by = f" by {facts.about.creator}" if facts.about.creator else ""
    yield f"Made{by} with nlmchem {facts.versions['nlmchem']} ({command('silver')})."
    yield ""


def _loading(facts: CorpusFacts) -> Iterator[str]:
    split = next(iter(facts.splits))
    names = [schema.name for schema in dict.fromkeys(file.schema for file in facts.tables)]
    yield from ("## How to load it", "", "```python", "from datasets import load_dataset", "")
    yield 'corpus = load_dataset("FOLDER")  # this folder, or its name on the Hub'
    for name in names[1:]:
        yield f'other = load_dataset("FOLDER", "{name}")  # the same articles in the schema kb of BigBio'
    yield f'article = corpus["{split}"][0]'
    yield 'for entity in article["entities"]:'
    yield '    print(entity["text"], entity["identifiers"], entity["score"])'
    yield from ("```", "")
    more = " and the files beside it" if facts.shards[1:] else ""
    yield (
        "Croissant metadata are in `croissant.json`. The same articles, with the votes for each annotation, are in "
        f"`{facts.shards[0]['name']}`{more}, as {facts.format_title}."
    )
    yield ""


def _counts(facts: CorpusFacts) -> Iterator[str]:
    counts = facts.counts
    rows = {
        "articles": counts["documents"],
        "articles without a mention": counts["without_mentions"],
        "articles that are not in English": counts["not_english"],
        "passages": counts["passages"],
        "characters": counts["characters"],
        "mentions": counts["mentions"],
        "mentions that were merged (no run has exactly this span)": counts["merged"],
        "mentions without a concept": counts["without_identifier"],
        "distinct texts of mentions": counts["distinct_texts"],
        "distinct MeSH concepts": counts["distinct_identifiers"],
        "index terms": counts["index_terms"],
        "distinct spans over all runs, before the vote": counts["candidates"],
    }
    yield from ("## Contents", "")
    yield from _table(("", "number"), rows.items(), (1,))
    if len(facts.splits) > 1:
        total = sum(facts.shares.values())
        shares = ((name, number, f"{facts.shares[name] / total:.4f}") for name, number in facts.splits.items())
        yield from _table(("split", "articles", "share that was asked for"), shares, (1, 2))
        yield from (_SPLITS, "")


def _licences(facts: CorpusFacts) -> Iterator[str]:
    yield from ("## Licences", "")
    rows = ((count.licence, count.url or "-", count.articles) for count in facts.licences)
    yield from _table(("licence of the article", "address", "articles"), rows, (2,))
    yield from (_LICENCES, "")
    if facts.wanted:
        wanted = ", ".join(facts.wanted)
        left_out = ", ".join(f"{number:,} {code}" for code, number in facts.left_out.items()) or "none"
        yield f"Only articles with these licences are in the corpus: {wanted}. Left out by their licence: {left_out}."
        yield ""
    unclear = sum(count.articles for count in facts.licences if count.licence in (UNKNOWN, OTHER))
    if unclear:
        holds = "the licence of 1 article is" if unclear == 1 else f"the licences of {unclear:,} articles are"
        yield (
            f"**Before you publish:** {holds} not known, or none of Creative Commons. Find out for each whether it may "
            "be passed on, or make the corpus without them (option `licence`)."
        )
        yield ""


def _columns(schema: TableSchema) -> Iterator[str]:
    yield from ("## Columns", "")
    rows = ((f"`{name}`", type, meaning) for name, type, meaning in documented(schema.columns))
    yield from _table(("column", "type", "meaning"), rows)
    yield from (_OFFSETS, "")


def _runs(facts: CorpusFacts) -> Iterator[str]:
    total = sum(run.run.weight for run in facts.runs)
    rows = (
        (
            run.run.name, f"{run.run.weight / total:.4f}", run.run.documents, run.run.mentions, run.run.terms,
            _first(run.run.annotators), f"`{run.run.digest[:12]}`",
        )
        for run in facts.runs
    )  # fmt: skip
    yield from ("## Runs", "", "The programs that voted. A run may have more articles than the corpus.", "")
    yield from _table(
        ("run", "weight", "articles", "mentions", "index terms", "annotators", "hash of its annotations"),
        rows,
        (1, 2, 3, 4),
    )
    resources = [(run.run.name, name, f"`{value}`") for run in facts.runs for name, value in run.resources.items()]
    if resources:
        yield "The models and resources of the runs, by their sha256 (or a name or version):"
        yield ""
        yield from _table(("run", "step and resource", "sha256, name or version"), resources)
    missing = [run.run.name for run in facts.runs if run.configuration is None]
    if missing:
        yield f"The models of these runs are not recorded: {', '.join(missing)}."
        yield ""


def _method(facts: CorpusFacts) -> Iterator[str]:
    yield from ("## Method", "", *(f"- {step}" for step in (*method(facts), _SCORES)), "")


def _uses() -> Iterator[str]:
    yield from ("## Uses and limits", "")
    yield from (f"- {sentence}" for sentence in (*USES, *LIMITATIONS, *BIASES, PERSONAL))
    yield ""


def _checking(facts: CorpusFacts) -> Iterator[str]:
    made = ", ".join(f"{name} {version}" for name, version in facts.versions.items())
    yield from ("## Is this copy complete?", "")
    yield (
        f"{command('silver verify FOLDER')} compares every file with the hashes in `manifest.json`, and prints the "
        f"fingerprint of the corpus. The same runs and options give the same files, byte by byte (made with {made}; "
        "other versions may write other bytes)."
    )
    yield ""
    if facts.about.citation:
        yield from ("## Citation", "", "```", facts.about.citation.strip(), "```", "")
    if facts.about.url or facts.about.published:
        yield " ".join(filter(None, ("Published", facts.about.published, facts.about.url)))
        yield ""


def _first(annotators: Sequence[str]) -> str:
    """The annotators of a run, the most frequent first; three of many."""
    more = f" and {quantity(len(annotators) - 3, 'other')}" if len(annotators) > 3 else ""
    return ", ".join(annotators[:3]) + more
