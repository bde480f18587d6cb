"""`nlmchem corpora augment|distant` and `nlmchem train mean`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import argument, group, option
from corpora.commands.shared import out_file, out_folder, overwrite_option, seed_option
from corpora.errors import ConfigurationError, ResourceError
from corpora.formats.registry import format_option
from corpora.tools.commands import CorpusInputs
from corpora.words.quantities import quantity
from sieves.lexicon.options import LexiconOptions

if TYPE_CHECKING:
    from bioc import BioCDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class AugmentOptions:
    articles: CorpusInputs = group(CorpusInputs)
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    mode: tuple[str, ...] = option(
        ("synonym",), "What replaces a mention: synonym, other, random; joined by commas.", metavar="MODE,..."
    )
    copies: int = option(1, "Synthetic copies of each article, for each mode.", minimum=1)
    rate: float = option(1.0, "Share of the distinct mentions that are replaced, up to 1.")
    source: LexiconOptions = group(LexiconOptions)
    seed: int = seed_option()
    format: str | None = format_option()


def augment(options: AugmentOptions, progress: Progress) -> Result:
    """Make synthetic training articles: other names replace gold mentions, and the offsets are adapted."""
    from corpora.writing import write
    from nlmchem.companions.studies.augmentation import Augmenter, ReplacementNames

    with options.source.open(progress) as lexicon:
        # The mode random uses no names, and to read all of them takes seconds.
        names = ReplacementNames.of(lexicon.names() if set(options.mode) - {"random"} else (), lexicon.version)
    augmenters = [Augmenter(mode, names, options.seed, options.rate) for mode in options.mode]
    replaced = 0

    def made() -> Iterator[BioCDocument]:
        nonlocal replaced
        for document in options.articles.documents(progress):
            for augmenter in augmenters:
                for copy in range(1, options.copies + 1):
                    synthetic, count = augmenter(document, copy)
                    replaced += count
                    yield synthetic

    out = options.out
    number = write(made(), out, options.format, report=progress)
    return record(
        {"articles": number, "replaced": replaced, "out": str(out)},
        f"wrote {quantity(number, 'synthetic article')} with {quantity(replaced, 'replaced mention')} to {out}",
        files=(out,),
    )


AUGMENT = Command(
    "corpora augment",
    AugmentOptions,
    augment,
    Call({"inputs": ["train.xml"], "out": "synthetic.xml", "mode": ["synonym", "random"]}),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DistantOptions:
    articles: CorpusInputs = group(CorpusInputs)
    out: Path = out_file()
    overwrite: bool = overwrite_option()
    limit: int | None = option(None, "Stop after this number of articles.", minimum=1)
    labelled_only: bool = option(False, "Write only passages with a chemical.")
    format: str | None = format_option()


def distant(options: DistantOptions, progress: Progress) -> Result:
    """Label articles with the names of MeSH, as training data for the first stage of `nlmchem train tagger`.

    Annotations of the articles are replaced. Training does not count text with annotations of the type Masked:
    proteins, roles, and names that are chemicals in some articles only.
    """
    from corpora.writing import write
    from nlmchem.companions.studies.augmentation import distantly_labelled, remove_unlabelled
    from nlmchem.tagging.gazetteer.classes import shipped_gazetteer
    from nlmchem.tagging.training.data import masked

    gazetteer = shipped_gazetteer(strict=True)
    chemicals = hidden = 0

    def made() -> Iterator[BioCDocument]:
        nonlocal chemicals, hidden
        documents = islice(options.articles.documents(progress), options.limit)
        for document in progress.counted(documents, "articles"):
            chemicals += distantly_labelled(document, gazetteer)
            if options.labelled_only:
                remove_unlabelled(document)
            hidden += len(masked(document))
            yield document

    out = options.out
    number = write(made(), out, options.format, report=progress)
    return record(
        {"articles": number, "chemicals": chemicals, "masked": hidden, "out": str(out)},
        f"wrote {quantity(number, 'article')} with {quantity(chemicals, 'chemical')} and "
        f"{quantity(hidden, 'masked name')} to {out}",
        files=(out,),
    )


DISTANT = Command("corpora distant", DistantOptions, distant, Call({"inputs": ["articles/"], "out": "distant.jsonl"}))


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanOptions:
    models: tuple[Path, ...] = argument("Folders of models from one base.", metavar="MODEL...")
    out: Path = out_folder()


def mean(options: MeanOptions, progress: Progress) -> Result:
    """Average the weights of taggers, for example of the last two stages of a training.

    Labels, tokenizer and settings come from the first model.
    """
    from corpora.extras import require
    from nlmchem.tagging.models.folders import quiet_transformers

    require("torch", "transformers", extra="train", purpose="averaging taggers")
    quiet_transformers()

    out = options.out
    average(options.models, out)
    return record({"out": str(out)}, str(out), files=(out,))


MEAN = Command(
    "train mean",
    MeanOptions,
    mean,
    Call({"models": ["second/seed-2/all/model/", "first/seed-1/all/model/"], "out": "mean/"}),
)


WEIGHTS = "model.safetensors"


def average(models: Sequence[Path], out: Path) -> None:
    """Write the mean of `models` into the new folder `out`. All other files are those of the first model.

    It is as fast as one model and varies less with the order and choice of training articles (Wortsman et al. 2022,
    model soups and WiSE-FT). All models must have the same first stage.

    A folder that has this mean already stays: the command may have been killed at its end. Raises `ResourceError` for a
    folder without float32 weights, and `ConfigurationError` for fewer than two models, models of different form, and a
    folder `out` that has something else.
    """
    import torch
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    from corpora.storage.owned_files import RECORD, OwnedFolder, replacing_owned
    from nlmchem.tagging.models.folders import check_folder
    from nlmchem.tagging.training.folders import CARD_FILE

    if len(models) < 2:
        raise ConfigurationError("a mean needs two models or more; name their folders")
    for model in models:
        check_folder(model)
        if not (model / WEIGHTS).is_file():
            raise ResourceError(f"the model {model} has no {WEIGHTS}; give a model with float32 weights in one file")
    files: list[Any] = [safe_open(model / WEIGHTS, "pt") for model in models]
    shapes = [{name: file.get_slice(name).get_shape() for name in file.keys()} for file in files]  # noqa: SIM118
    for model, shape in zip(models, shapes, strict=True):
        if shape != shapes[0]:
            raise ConfigurationError(
                f"{model} has other weights than {models[0]}; give models that were trained from one base in one way"
            )
    # In double precision, the members of one tensor in memory at a time.
    mean = {name: torch.stack([file.get_tensor(name).double() for file in files]).mean(0).float() for name in shapes[0]}
    if out.exists():
        if (out / RECORD).is_file() and (out / WEIGHTS).is_file():
            with OwnedFolder(out) as owned:
                there = load_file(out / WEIGHTS) if owned.first_foreign() is None else {}
            if there.keys() == mean.keys() and all(torch.equal(there[name], mean[name]) for name in mean):
                return
        raise ConfigurationError(f"{out} exists already; name a new folder, or remove it")
    with replacing_owned(out) as part:
        shutil.copytree(models[0], part, dirs_exist_ok=True)
        save_file(mean, part / WEIGHTS, {"format": "pt"})
        if (part / CARD_FILE).is_file():
            _update_card(part / CARD_FILE, models)


def _update_card(card: Path, models: Sequence[Path]) -> None:
    """Add the averaged models to the card, and replace the hash of the weights."""
    from nlmchem.tagging.models.folders import version_of

    text = card.read_text("utf-8")
    text = re.sub(r"(- sha256 of weights[^`]*`)[0-9a-f]+", rf"\g<1>{version_of(card.parent)}", text)
    averaged = f"\n## Averaged\n\nThe mean of the weights of {quantity(len(models), 'model')}:\n\n"
    averaged += "\n".join(f"- {model.parent.name}: `{version_of(model)}`" for model in models)
    card.write_text(text.replace("\n## Settings", f"{averaged}\n\n## Settings", 1), "utf-8")
