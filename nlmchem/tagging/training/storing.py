"""A trained BERT tagger as one small folder: int8 weights, and nothing that needs `transformers` to be read."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from corpora.errors import ResourceError
from nlmchem.tagging.models.loading import CRF_FILE, FACTS_FILE, check_folder, cutter_of, quiet_transformers, read_json
from nlmchem.tagging.models.quantization import FILE, write_quantised
from nlmchem.tagging.training.model_card import CARD_FILE

__all__ = ["KEPT", "store"]

KEPT = ("model_type", "hidden_act", "layer_norm_eps", "num_attention_heads", "num_hidden_layers", "id2label",
        "max_position_embeddings", "pad_token_id", "type_vocab_size", "vocab_size", "hidden_size",
        "intermediate_size")  # fmt: skip
"""What of config.json is needed, and what tells readers of it about the model."""


def store(folder: Path, out: Path, name: str | None = None, outside_bias: float | None = None) -> int:
    """Write the model in `folder` into `out` with int8 weights; says how many bytes the new folder has.

    `outside_bias`: what is taken from the log-odds of O, chosen by cross-validation (None: as the model has it).

    Raises `ResourceError` where it is no trained BERT tagger.
    """
    quiet_transformers()
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    check_folder(folder)
    config = read_json(folder / "config.json")
    if config.get("model_type") != "bert" or (folder / FILE).is_file():
        raise ResourceError(f"{folder} is not a BERT model with float weights; only such are stored as int8")
    model, found = AutoModelForTokenClassification.from_pretrained(
        folder, local_files_only=True, use_safetensors=True, output_loading_info=True
    )
    if found["missing_keys"]:
        raise ResourceError(f"{folder} is no trained tagger: its weights lack {sorted(found['missing_keys'])[0]}")
    cutter = cutter_of(AutoTokenizer.from_pretrained(folder, local_files_only=True))
    out.mkdir(parents=True, exist_ok=True)
    write_quantised(model.state_dict(), out)
    _write(out / "config.json", {key: config[key] for key in KEPT if key in config})
    (out / "tokenizer.json").write_text(cutter.tokenizer.to_str(), encoding="utf-8")
    facts = read_json(folder / FACTS_FILE) if (folder / FACTS_FILE).is_file() else {}
    special = {"first": cutter.first, "separator": cutter.separator, "padding": cutter.padding}
    changes = {"name": name, "outside_bias": outside_bias}
    facts |= {key: value for key, value in changes.items() if value is not None}
    _write(out / FACTS_FILE, {**facts, "stored": "int8", "special": special})
    for extra in (CRF_FILE, CARD_FILE):
        if (folder / extra).is_file():
            shutil.copyfile(folder / extra, out / extra)
    return sum(file.stat().st_size for file in out.iterdir())


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", encoding="utf-8")
