"""The step `keyphrases`: the phrases that describe an article best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from corpora.commands.options import option
from nlmchem.run.step import MODELS, RESOURCES, Chosen, Context, Stage, Step, absolute_path
from nlmchem.steps.shared import ExistingOptions

if TYPE_CHECKING:
    from nlmchem.companions.keyphrases.model import KeyphraseRanker


@dataclass(frozen=True)
class KeyphraseOptions(ExistingOptions):
    keyphrase_model: str | None = option(
        None,
        "Model of keyphrases: default, or the path of a model (.json).",
        default_text="default, the embedded model",
        by_content=True,
        panel=RESOURCES,
        advanced=True,
    )
    keyphrase_threshold: float | None = option(
        None,
        "Lowest score of a keyphrase.",
        minimum=0,
        maximum=1,
        default_text="that of the model",
        panel=MODELS,
        advanced=True,
    )


def _check(options: KeyphraseOptions, steps: Sequence[Chosen]) -> KeyphraseOptions:
    model = absolute_path(options.keyphrase_model)
    return replace(options, keyphrase_model=model, existing=options.existing or "keep")


def _stage(options: KeyphraseOptions, context: Context) -> Stage:
    from nlmchem.companions.keyphrases.keyphrase import KeyphraseStage

    return KeyphraseStage(_ranker(options), str(options.existing))


def _resources(options: KeyphraseOptions, context: Context) -> dict[str, str]:
    return {"keyphrases": _ranker(options).version}


def _ranker(options: KeyphraseOptions) -> KeyphraseRanker:
    from nlmchem.companions.keyphrases.model import open_ranker

    return open_ranker(options.keyphrase_model, options.keyphrase_threshold)


STEP = Step("keyphrases", KeyphraseOptions, _stage, _check, _resources, after="index")
