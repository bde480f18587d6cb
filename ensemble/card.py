"""The data card of a silver corpus: what a stranger must know before training on it."""

from __future__ import annotations

from typing import Any

__all__ = ["card"]


def card(manifest: dict[str, Any]) -> str:
    """The card as Markdown, from the manifest alone; it holds no time, so the same corpus has the same card."""
    return "\n".join([*_what(manifest), *_counts(manifest), *_runs(manifest), *_how(manifest), *_limits()]) + "\n"


def _what(manifest: dict[str, Any]) -> list[str]:
    return [
        "# A silver-standard corpus of chemical mentions",
        "",
        f"Made by `{manifest['made_by']}` from {len(manifest['runs'])} runs over "
        f"{manifest['counts']['documents']} documents. No human has looked at the annotations.",
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
        "of them merged, as no run had them": counts["merged"],
        "of them without a concept": counts["without_identifier"],
        "distinct texts of mentions": counts["distinct_texts"],
        "distinct identifiers": counts["distinct_identifiers"],
        "index terms": counts["index_terms"],
    }
    return ["## What is in it", "", "| | number |", "|---|---:|", *(f"| {k} | {v:,} |" for k, v in rows.items()), ""]


def _runs(manifest: dict[str, Any]) -> list[str]:
    total = sum(run["weight"] for run in manifest["runs"])
    lines = [
        f"| {_cell(run['name'])} | {run['weight'] / total:.4f} | {run['mentions']:,} | {run['index_terms']:,} "
        f"| `{run['sha256'][:12]}` |"
        for run in manifest["runs"]
    ]
    return [
        "## Who voted",
        "",
        "| run | weight | mentions | index terms | hash |",
        "|---|---:|---:|---:|---|",
        *lines,
        "",
    ]


def _how(manifest: dict[str, Any]) -> list[str]:
    rule = manifest["rule"]
    overlaps = {
        "merge": "spans that overlap were merged into one, from the lowest start to the highest end",
        "best": "of spans that overlap the best-scored were kept",
    }[rule["overlaps"]]
    return [
        "## How it was made",
        "",
        f"A span is in the corpus where at least {rule['threshold']:.4f} of the runs, by weight, hold it; {overlaps}. "
        f"Identifiers are those that most votes name for a {rule['identifiers_by']} of a document. Every annotation "
        "has its `score` (the share), its `votes` and `voters`; a merged one has the spans that went into it "
        "(`merged_from`). `manifest.json` has the runs with their full hashes and a sha256 of every file.",
        "",
        "Read it with `ensemble.silver.read_silver(folder)`, which checks the hashes, or with any BioC reader.",
        "",
    ]


def _limits() -> list[str]:
    return [
        "## What to keep in mind",
        "",
        "- What all voters miss is missing, what most of them get wrong stands here as if it were right: it teaches "
        "a model the habits of its teachers.",
        "- Never measure on it, and keep articles that you measure on out of it.",
        "- The licence of the texts is that of the articles; the card does not know it.",
        "",
    ]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
