"""The folders of models in training: the base, the card of the result, and its copy with int8 weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.errors import ResourceError, command
from corpora.plugins import project_version
from corpora.storage.atomic import replacing_folder, write_text
from corpora.storage.owned_files import OwnedFolder
from corpora.storage.weight_files import require_safe_weights
from nlmchem.tagging.models.folders import (
    ANCESTORS,
    DEFAULT,
    FACTS_FILE,
    FILE,
    GUIDELINES,
    WEIGHTS,
    check_folder,
    folder_of,
    quiet_transformers,
    read_facts,
    read_json,
    readable,
    version_of,
)
from nlmchem.tagging.models.loading import cutter_of, load_model
from nlmchem.tagging.models.weights import computes, dequantise, read_quantised, write_quantised
from nlmchem.tagging.training.data import TrainingCorpus

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def open_base(base: Path, out: Path) -> Path:
    """The folder of a base model as training reads it: `base`, or a copy of it under `out`.

    A copy has expanded weights in the place of int8. `base` is a folder or the name `default` (the embedded model).
    Raises `ConfigurationError` if there is no embedded model, `ResourceError` if the folder is not a base model.
    """
    folder = base_folder(base)
    check_base(folder)
    return copied(folder, out, _expand) if (folder / FILE).is_file() else folder


def check_base(base: Path) -> None:
    """Raise `ResourceError` if a folder cannot be a base model. The message names what is missing."""
    folder = base_folder(base)
    if not (folder / "config.json").is_file():
        raise ResourceError(
            f"no base model in {folder}; give a folder with config.json, a tokenizer and model.safetensors"
        )
    read_json(folder / "config.json")
    require_safe_weights(folder)
    if not any((folder / name).is_file() for name in (*WEIGHTS, FILE)):
        raise ResourceError(
            f"the base model {folder} has no model.safetensors (a pickle such as pytorch_model.bin is not read); "
            "docs/reference/training.md shows how to save it as safetensors"
        )


def base_name(base: Path) -> str:
    """The name of a base model for the model card."""
    if base == Path(DEFAULT) and not base.is_dir():
        return f"the embedded model, sha256 `{version_of(folder_of(DEFAULT))}`"
    return base.name


def receives(base: Path, feature: str) -> bool:
    """Whether a base model was trained with `letter_case` or `gazetteer`; training from it must go on with it."""
    return bool(read_facts(base).get(feature))


def guidelines_of(base: Path, guidelines: Sequence[str]) -> tuple[int, ...]:
    """For the target's guidelines and each of `guidelines`: its number in a base model, 0 where the base has none."""
    known = read_facts(base).get(GUIDELINES, [""]) if receives(base, "gazetteer") else [""]
    return tuple(known.index(name) if name in known else 0 for name in ("", *guidelines))


def base_tokenizer(base: Path) -> PreTrainedTokenizerBase:
    """The tokenizer of a base model. Raises `ResourceError`."""
    from transformers import AutoTokenizer

    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise ResourceError(f"the tokenizer of {base} cannot be read ({error}); get the model again") from error
    with readable(base):
        cutter_of(tokenizer)
    return tokenizer


def base_folder(base: Path) -> Path:
    """The folder of a base. A folder named `default` in the working directory goes before the embedded model."""
    return folder_of(DEFAULT) if base == Path(DEFAULT) and not base.is_dir() else base


def copied(folder: Path, out: Path, write: Callable[[Path, Path], None]) -> Path:
    """A changed copy of a model. `write` fills an empty folder. An existing copy is used again."""
    # The version is part of the name: a copy of another base is never used by mistake.
    copy = out / f"base-{version_of(folder)[:12]}"
    if copy.is_dir():
        return copy
    with replacing_folder(copy) as part:
        write(folder, part)
    return copy


def _expand(folder: Path, part: Path) -> None:
    """Write float32 weights, in the layout of `transformers`."""
    from safetensors.numpy import save_file
    from transformers import PreTrainedTokenizerFast

    for file in folder.iterdir():
        if file.is_file() and file.name != FILE:
            shutil.copyfile(file, part / file.name)
    save_file(dequantise(read_quantised(folder)), part / "model.safetensors", {"format": "pt"})
    if (folder / "tokenizer_config.json").is_file():
        return
    # `transformers` does not read the special pieces of a folder with int8 weights, where they are numbers.
    cutter = load_model(folder).cutter
    pieces = {
        "cls_token": cutter.tokenizer.id_to_token(cutter.first),
        "sep_token": cutter.tokenizer.id_to_token(cutter.separator),
        "pad_token": cutter.tokenizer.id_to_token(cutter.padding),
    }
    for name, piece in (("unk_token", "[UNK]"), ("mask_token", "[MASK]")):
        if cutter.tokenizer.token_to_id(piece) is not None:
            pieces[name] = piece
    PreTrainedTokenizerFast(tokenizer_object=cutter.tokenizer, **pieces).save_pretrained(part)


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


def store(folder: Path, out: Path, name: str | None = None) -> int:
    """Write the model in `folder` into `out` with int8 weights, and return the number of bytes of the new folder.

    `name`: of the model (None: its own). Raises `ResourceError` if the folder is not a trained BERT tagger, and
    `ConfigurationError` where a file in `out` is not of nlmchem. No file is changed after an error.
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
    if name is not None:
        facts["name"] = name
    facts[ANCESTORS] = [version_of(folder), *facts.get(ANCESTORS, ())]
    with owned.staging() as part:
        write_quantised({name: tensor.float().numpy() for name, tensor in model.state_dict().items()}, part)
        _write(part / "config.json", {key: config[key] for key in KEPT if key in config})
        (part / "tokenizer.json").write_text(cutter.tokenizer.to_str(), encoding="utf-8")
        _write(part / FACTS_FILE, {**facts, "stored": "int8", "special": special})
        if (folder / CARD_FILE).is_file():
            shutil.copyfile(folder / CARD_FILE, part / CARD_FILE)
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
        f"(nlmchem {project_version()}, torch {version('torch')}, transformers {version('transformers')}).",
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
    lines += ["", "## Scores", ""]
    if scores is None:
        lines.append(
            "Not scored: the model was trained on all annotated articles. Cross-validation shows what to expect."
        )
    else:
        lines += ["On articles that the model was not trained on:", ""]
        lines += ["| spans | precision | recall | F1 |", "|---|---|---|---|"]
        for kind in ("strict", "approximate"):
            values = scores[kind]
            lines.append(f"| {kind} | {values['precision']:.4f} | {values['recall']:.4f} | {values['f1']:.4f} |")
    lines += ["", "## Settings", "", "```json"]
    lines += [json.dumps(settings, indent=1, sort_keys=True), "```", ""]
    write_text(folder / CARD_FILE, "\n".join(lines))


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split()) or "not stated"
