"""Silver-standard corpora: annotations that many runs agree on, as training data.

Source: in the NLM-Chem track, the voted annotations of the 1,333 articles of the indexing task were added to the
training data of a single model and raised its F1 from 0.8480 to 0.8647 (Leaman et al. 2023, Database, baad005).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bioc import BioCDocument

from corpora.errors import ConfigurationError, InputError, OptionError, command
from corpora.formats.registry import readable
from corpora.reading import read
from corpora.storage import atomic
from corpora.storage.reserved_names import MANIFEST
from corpora.words.quantities import quantity
from ensemble.combine import Rule
from ensemble.output import WrittenVote, digest_of, write_vote
from ensemble.runs import Poll

SILVER = "nlmchem silver"


def write_silver(
    poll: Poll,
    rule: Rule,
    folder: Path,
    *,
    shard_size: int = 500,
    format: str = "biocxml",
    extra: dict[str, Any] | None = None,
) -> WrittenVote:
    """Write a silver corpus into a folder: shards of `shard_size` documents, a manifest, a data card (`README.md`).

    Every annotation has its score and voters. Raises the errors of `ensemble.output.write_ensemble`, and
    `ConfigurationError` for a shard size below 1.
    """
    if shard_size < 1:
        raise OptionError("shard_size", f"is {shard_size}; use a number of documents from 1")
    # A silver corpus is read again, for training.
    readable(format)
    written = write_vote(poll, rule, folder, "silver", shard_size, format, SILVER, extra)
    atomic.write_text(folder / "README.md", _card(written.manifest))
    return written


def read_silver(folder: Path) -> Iterator[BioCDocument]:
    """The documents of a silver corpus. Each shard is checked against the manifest before it is read.

    Raises `ConfigurationError` if the folder is not a silver corpus, `InputError` for a missing or changed shard.
    """
    manifest = _manifest(folder)
    for entry in manifest["files"]:
        path = folder / entry["name"]
        if not path.exists():
            raise InputError(f"the shard {path} is missing; copy the folder again, or make the corpus again")
        if digest_of(path) != entry["sha256"]:
            raise InputError(f"the shard {path} was changed; copy the folder again, or make the corpus again")
        yield from read(path)


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("made_by") != SILVER:
        raise ConfigurationError(
            f"{folder} is not a silver corpus; make one with {command('silver RUN... -o', str(folder))}"
        )
    return manifest


# -- data card ----------------------------------------------------------------------------------


def _card(manifest: dict[str, Any]) -> str:
    """The data card as Markdown: what users need to know before they train on the corpus.

    It has no date, so equal corpora have equal cards.
    """
    return "\n".join([*_what(manifest), *_counts(manifest), *_runs(manifest), *_how(manifest), *_limits()]) + "\n"


def _what(manifest: dict[str, Any]) -> list[str]:
    return [
        "# A silver-standard corpus of chemical mentions",
        "",
        f"Made by `{manifest['made_by']}` from {quantity(len(manifest['runs']), 'run')} over "
        f"{quantity(manifest['counts']['documents'], 'document')}. No person has checked the annotations.",
        "",
    ]


def _counts(manifest: dict[str, Any]) -> list[str]:
    counts = manifest["counts"]
    rows = {
        "documents": counts["documents"],
        "documents without a mention": counts["without_mentions"],
        "passages": counts["passages"],
        "characters": counts["characters"],
        "distinct spans over all runs": counts["candidates"],
        "mentions": counts["mentions"],
        "mentions that were merged (no run has exactly this span)": counts["merged"],
        "mentions without a concept": counts["without_identifier"],
        "distinct texts of mentions": counts["distinct_texts"],
        "distinct identifiers": counts["distinct_identifiers"],
        "index terms": counts["index_terms"],
    }
    return ["## Contents", "", "| | number |", "|---|---:|", *(f"| {k} | {v:,} |" for k, v in rows.items()), ""]


def _runs(manifest: dict[str, Any]) -> list[str]:
    total = sum(run["weight"] for run in manifest["runs"])
    lines = [
        f"| {_cell(run['name'])} | {run['weight'] / total:.4f} | {run['mentions']:,} | {run['index_terms']:,} "
        f"| {_cell(_listed(run['annotators']))} | `{run['sha256'][:12]}` |"
        for run in manifest["runs"]
    ]
    return [
        "## Runs",
        "",
        "| run | weight | mentions | index terms | annotators | hash |",
        "|---|---:|---:|---:|---|---|",
        *lines,
        "",
    ]


def _how(manifest: dict[str, Any]) -> list[str]:
    rule = manifest["rule"]
    overlaps = {
        "merge": "overlapping spans were merged into one span, from the lowest start to the highest end",
        "best": "of overlapping spans, the span with the highest score was kept",
    }[rule["overlaps"]]
    return [
        "## Method",
        "",
        f"A span is in the corpus if at least {rule['threshold']:.4f} of the runs, by weight, have it; {overlaps}. "
        f"The identifiers of a {rule['identifiers_by']} in a document are those with most votes. Every annotation has "
        "its `score` (the share), `votes` and `voters`; a merged annotation has its parts in `merged_from`. "
        "`manifest.json` lists the runs with their full hashes, and a sha256 of every file.",
        "",
        "To read the corpus, use `ensemble.silver.read_silver(folder)`, which checks the hashes, or any BioC reader.",
        "",
    ]


def _limits() -> list[str]:
    return [
        "## Limits",
        "",
        "- Errors of the runs are errors of the corpus: mentions that all runs miss are missing, and mentions that "
        "most runs get wrong are wrong. A model that trains on the corpus learns these errors.",
        "- Do not evaluate on the corpus. Keep the articles of your evaluation out of the corpus.",
        "- The texts have the licences of their articles. This card does not list them.",
        "",
    ]


def _listed(annotators: list[str]) -> str:
    """The annotators of a run, the most frequent first; three of many."""
    return ", ".join(annotators[:3]) + (f" and {len(annotators) - 3} more" if len(annotators) > 3 else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
