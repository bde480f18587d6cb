"""The model that training starts from: checked, and copied where its weights are int8."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from transformers import AutoTokenizer, PreTrainedTokenizerBase, PreTrainedTokenizerFast

from corpora.errors import ResourceError
from corpora.storage.atomic import replacing_folder
from corpora.storage.weight_files import require_safe_weights
from nlmchem.tagging.models.folders import (
    DEFAULT,
    FILE,
    GUIDELINES,
    WEIGHTS,
    folder_of,
    read_facts,
    read_json,
    version_of,
)
from nlmchem.tagging.models.loading import cutter_of, load_model
from nlmchem.tagging.models.weights import dequantise, read_quantised


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
    try:
        tokenizer: PreTrainedTokenizerBase = AutoTokenizer.from_pretrained(
            base, local_files_only=True, trust_remote_code=False
        )
    except (OSError, ValueError, KeyError) as error:
        raise ResourceError(f"the tokenizer of {base} cannot be read ({error}); get the model again") from error
    cutter_of(tokenizer)
    return tokenizer


def base_folder(base: Path) -> Path:
    """The folder of a base. A folder named `default` in the working directory goes before the embedded model."""
    return folder_of(DEFAULT) if base == Path(DEFAULT) and not base.is_dir() else base


def copied(folder: Path, out: Path, write: Callable[[Path, Path], None], change: str = "") -> Path:
    """A changed copy of a model. `write` fills an empty folder. An existing copy is used again.

    `change`: the end of the name of the copy, where a base can have several.
    """
    # The version is part of the name: a copy of another base is never used by mistake.
    copy = out / f"base-{version_of(folder)[:12]}{change}"
    if copy.is_dir():
        return copy
    with replacing_folder(copy) as part:
        write(folder, part)
    return copy


def _expand(folder: Path, part: Path) -> None:
    """Write float32 weights, in the layout of `transformers`."""
    from safetensors.numpy import save_file

    for file in folder.iterdir():
        if file.is_file() and file.name != FILE:
            shutil.copyfile(file, part / file.name)
    save_file(dequantise(read_quantised(folder)), part / "model.safetensors", {"format": "pt"})
    _write_tokenizer(folder, part)


def _write_tokenizer(folder: Path, out: Path) -> None:
    """Write a tokenizer that `transformers` reads. A folder with int8 weights has the special pieces as numbers."""
    if (folder / "tokenizer_config.json").is_file():
        return
    cutter = load_model(folder).cutter
    pieces = {
        "cls_token": cutter.tokenizer.id_to_token(cutter.first),
        "sep_token": cutter.tokenizer.id_to_token(cutter.separator),
        "pad_token": cutter.tokenizer.id_to_token(cutter.padding),
    }
    for name, piece in (("unk_token", "[UNK]"), ("mask_token", "[MASK]")):
        if cutter.tokenizer.token_to_id(piece) is not None:
            pieces[name] = piece
    PreTrainedTokenizerFast(tokenizer_object=cutter.tokenizer, **pieces).save_pretrained(out)
