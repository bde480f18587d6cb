"""The data card of a silver corpus: what users need to know before they train on it."""

from __future__ import annotations

from typing import Any

__all__ = ["card"]


def card(manifest: dict[str, Any]) -> str:
    """The card as Markdown, from the manifest. It has no date, so equal corpora have equal cards."""
    return "\n".join([*_what(manifest), *_counts(manifest), *_runs(manifest), *_how(manifest), *_limits()]) + "\n"


def _what(manifest: dict[str, Any]) -> list[str]:
    return [
        "# A silver-standard corpus of chemical mentions",
        "",
        f"Made by `{manifest['made_by']}` from {len(manifest['runs'])} runs over "
        f"{manifest['counts']['documents']} documents. No person has checked the annotations.",
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
        f"| `{run['sha256'][:12]}` |"
        for run in manifest["runs"]
    ]
    return [
        "## Runs",
        "",
        "| run | weight | mentions | index terms | hash |",
        "|---|---:|---:|---:|---|",
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


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
