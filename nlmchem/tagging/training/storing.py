"""The card of a trained model, and its small copy with int8 weights, readable without `transformers`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from corpora.errors import ResourceError, command
from corpora.storage.atomic import write_text
from corpora.storage.owned_files import OwnedFolder
from nlmchem.tagging.models.folders import (
    CRF_FILE,
    FACTS_FILE,
    FILE,
    check_folder,
    quiet_transformers,
    read_facts,
    read_json,
    version_of,
)
from nlmchem.tagging.models.loading import cutter_of
from nlmchem.tagging.models.weights import computes, write_quantised
from nlmchem.tagging.training.data import TrainingCorpus

KEPT = ("model_type", "hidden_act", "layer_norm_eps", "num_attention_heads", "num_hidden_layers", "id2label",
        "max_position_embeddings", "pad_token_id", "type_vocab_size", "vocab_size", "hidden_size",
        "intermediate_size")  # fmt: skip
"""The entries of config.json that are needed, or that describe the model to a reader."""


def check_storable(folder: Path) -> dict[str, Any]:
    """The configuration of a model whose kind can be stored as int8. Raises `ResourceError` for other kinds."""
    config = read_json(folder / "config.json")
    if not computes(config):
        raise ResourceError(f"{folder} is not a BERT model; only BERT models can be stored as int8")
    return config


def store(folder: Path, out: Path, name: str | None = None, outside_bias: float | None = None) -> int:
    """Write the model in `folder` into `out` with int8 weights, and return the number of bytes of the new folder.

    `outside_bias`: a number that is subtracted from the log-odds of O (None: the model's own). Raises
    `ResourceError` if the folder is not a trained BERT tagger, and `ConfigurationError` where a file in `out` is not
    of nlmchem. No file is changed after an error.
    """
    owned = OwnedFolder(out)
    quiet_transformers()
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    check_folder(folder)
    config = check_storable(folder)
    if (folder / FILE).is_file():
        raise ResourceError(f"the model {folder} has int8 weights already; use it as it is")
    model, loading = AutoModelForTokenClassification.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, output_loading_info=True
    )
    if loading["missing_keys"]:
        raise ResourceError(f"{folder} is not a trained tagger: its weights lack {sorted(loading['missing_keys'])[0]}")
    cutter = cutter_of(AutoTokenizer.from_pretrained(folder, local_files_only=True))
    facts = read_facts(folder)
    special = {"first": cutter.first, "separator": cutter.separator, "padding": cutter.padding}
    changes = {"name": name, "outside_bias": outside_bias}
    facts |= {key: value for key, value in changes.items() if value is not None}
    with owned.staging() as part:
        write_quantised({name: tensor.float().numpy() for name, tensor in model.state_dict().items()}, part)
        _write(part / "config.json", {key: config[key] for key in KEPT if key in config})
        (part / "tokenizer.json").write_text(cutter.tokenizer.to_str(), encoding="utf-8")
        _write(part / FACTS_FILE, {**facts, "stored": "int8", "special": special})
        for extra in (CRF_FILE, CARD_FILE):
            if (folder / extra).is_file():
                shutil.copyfile(folder / extra, part / extra)
        return sum(file.stat().st_size for file in part.iterdir())


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")


CARD_FILE = "README.md"


def write_card(
    folder: Path,
    base: str,
    corpora: Mapping[str, Sequence[TrainingCorpus]],
    settings: Mapping[str, Any],
    scores: Mapping[str, Any] | None,
    leaks: Sequence[str] = (),
) -> None:
    """Write the card of a model folder.

    `corpora`: the corpora of each stage. `scores`: the result of `scores.as_json`. `leaks`: the sentences of
    `TrainingPlan.leakage`.
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
    write_text(folder / CARD_FILE, "\n".join(lines))


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
