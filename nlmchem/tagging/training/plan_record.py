"""The record of a training in its folder: a second training with other data or settings must not use its models."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import PurePosixPath
from typing import Any

from bioc import BioCDocument

from corpora.errors import DAMAGE, ConfigurationError, damage
from corpora.model.document import mentions
from corpora.model.metadata import join_key
from corpora.model.passages import passage_text
from corpora.storage.owned_files import OwnedFolder
from nlmchem.tagging.models.folders import version_of
from nlmchem.tagging.training.base import base_folder
from nlmchem.tagging.training.data import TrainingCorpus, augmented
from nlmchem.tagging.training.label_sources import is_distant
from nlmchem.tagging.training.plan import TrainingPlan

PLAN = "plan.json"
"""The file in the folder of a training."""
_OPTIONS = {"crf": "head", "target": "corpus", "outside": "first"}
"""Names of options that differ from those of the plan."""


def claim(folder: OwnedFolder, plan: TrainingPlan) -> None:
    """Write the record of a training, or compare it with the one that is there.

    Seeds, the device and the time limit may differ: each seed has models of its own. Raises `ConfigurationError` where
    the folder has a training of another base, other articles or other settings, which are named.
    """
    now = json.loads(json.dumps(_facts(plan)))
    file = folder.path / PLAN
    folder.check(PLAN)
    try:
        before = json.loads(file.read_bytes())
        differing = sorted(key for key in {*now, *before} if now.get(key) != before.get(key))
    except FileNotFoundError:
        folder.write_text(PurePosixPath(PLAN), json.dumps(now, indent=1) + "\n")
        return
    except DAMAGE as error:
        raise ConfigurationError(
            f"{file} is not the record of a training ({damage(error)}); name a new folder"
        ) from error
    if differing:
        names = ", ".join(differing)
        raise ConfigurationError(
            f"{folder.path} has a training with another configuration ({names} differ); name a new folder"
        )


def _facts(plan: TrainingPlan) -> dict[str, Any]:
    """What the weights and the scores depend on, by the names of options; corpora and models by their content."""
    settings = plan.options.facts()
    stages = {"first_stage": settings.pop("first"), "second_stage": settings.pop("second")}
    for stage, values in stages.items():
        settings |= {f"{name} of the {stage.replace('_', ' ')}": value for name, value in values.items()}
    parts: Mapping[str, Sequence[TrainingCorpus]] = {
        "target": plan.target, "outside": plan.outside, "silver": plan.silver, "replay": plan.replay,
        "dev": () if plan.dev is None else (plan.dev,),
    }  # fmt: skip
    copies = [augmented(corpus, [augment], 1, 0) for augment in plan.augmenters for corpus in plan.target]
    facts = {
        "base": version_of(base_folder(plan.base)),
        "folds": plan.folds,
        "rules": asdict(plan.rules),
        "augment": [_digest(corpus) for corpus in copies],
        **{name: [_digest(corpus) for corpus in corpora] for name, corpora in parts.items()},
        **settings,
    }
    return {_OPTIONS.get(name, name): value for name, value in facts.items()}


def _digest(corpus: TrainingCorpus) -> str:
    """The sha256 of the articles of a corpus, with its name (guidelines go by it) and weight."""
    digest = hashlib.sha256(f"{corpus.name} {corpus.weight}".encode())
    for document in corpus.documents:
        digest.update(json.dumps(list(_content(document)), sort_keys=True).encode())
    return digest.hexdigest()


def _content(document: BioCDocument) -> Iterator[Any]:
    """What training reads of an article."""
    yield [join_key(document), is_distant(document)]
    yield [[passage.offset, passage_text(passage)] for passage in document.passages]
    yield [[mention.type, mention.spans, mention.identifiers] for mention in mentions(document, None)]
