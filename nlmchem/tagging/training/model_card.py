"""The card of a trained model, beside its weights: data, licences, settings, scores, hash."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpora.errors import command
from nlmchem.tagging.models.loading import version_of
from nlmchem.tagging.training.data import Corpus

__all__ = ["CARD_FILE", "write_card"]

CARD_FILE = "README.md"


def write_card(
    folder: Path,
    base: str,
    corpora: Mapping[str, Sequence[Corpus]],
    settings: Mapping[str, Any],
    scores: Mapping[str, Any] | None,
    leaks: Sequence[str] = (),
) -> None:
    """Write the card of a model folder.

    `corpora`: the corpora of each stage. `scores`: the result of `scores.as_json`. `leaks`: the sentences of
    `leakage.leakage`.
    """
    lines = [
        "# A tagger of chemical mentions",
        "",
        f"Trained by {command('train tagger')} "
        f"(nlmchem {version('nlmchem')}, torch {version('torch')}, transformers {version('transformers')}).",
        "",
        f"- Base model: {base}",
        f"- sha256 of weights, configuration and tokenizer: `{version_of(folder)}`",
        "",
        "## Data",
        "",
        "| stage | corpus | articles | weight | licence | source |",
        "|---|---|---|---|---|---|",
    ]
    for stage, used in corpora.items():
        for corpus in used:
            lines.append(
                f"| {stage} | {corpus.name} | {len(corpus.documents)} | {corpus.weight:g} "
                f"| {_cell(corpus.licence)} | {_cell(corpus.source)} |"
            )
    lines += ["", "## Leakage", "", *(leaks or ["The model was not scored on any articles, so none were compared."])]
    lines += ["", "## Scores", "", *_scores(scores), "", "## Settings", "", "```json"]
    lines += [json.dumps(settings, indent=1, sort_keys=True), "```", ""]
    (folder / CARD_FILE).write_text("\n".join(lines), encoding="utf-8")


def _scores(scores: Mapping[str, Any] | None) -> list[str]:
    if scores is None:
        return ["Not scored: the model was trained on all annotated articles. Cross-validation shows what to expect."]
    rows = [
        "On articles that the model was not trained on:",
        "",
        "| spans | precision | recall | F1 |",
        "|---|---|---|---|",
    ]
    for kind in ("strict", "approximate"):
        values = scores[kind]
        rows.append(f"| {kind} | {values['precision']:.4f} | {values['recall']:.4f} | {values['f1']:.4f} |")
    return rows


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split()) or "not stated"
