"""The step `expand`: what short forms mean that the article does not define."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corpora.commands.options import option
from nlmchem.abbreviations.undefined import EMBEDDED_NAME
from nlmchem.run.step import MODELS, RESOURCES, Chosen, Context, Stage, Step


@dataclass(frozen=True)
class ExpandOptions:
    dictionary: str | None = option(
        None,
        "Dictionary of the step expand: default, a folder of `nlmchem train senses`, or a file of `nlmchem corpora "
        "dictionary`.",
        metavar="NAME_OR_PATH",
        default_text="default, the embedded one",
        by_content=True,
        panel=RESOURCES,
        advanced=True,
    )
    expand_threshold: float | None = option(
        None,
        "Lowest probability of a sense that the step expand writes.",
        minimum=0,
        maximum=1,
        default_text="0.8",
        panel=MODELS,
        advanced=True,
    )


def _check(options: ExpandOptions, steps: Sequence[Chosen]) -> ExpandOptions:
    path = options.dictionary
    return replace(options, dictionary=None if path in (None, EMBEDDED_NAME) else str(Path(path).absolute()))


def _stage(options: ExpandOptions, context: Context) -> Stage:
    from nlmchem.companions.senses.resolver import THRESHOLD, ExpandStage, open_resolver

    threshold = THRESHOLD if options.expand_threshold is None else options.expand_threshold
    return ExpandStage(open_resolver(options.dictionary, context.report), threshold, context.report)


def _resources(options: ExpandOptions, context: Context) -> dict[str, str]:
    from nlmchem.companions.senses.resolver import open_resolver

    return {"dictionary": open_resolver(options.dictionary).version}


STEP = Step("expand", ExpandOptions, _stage, _check, _resources, after="abbreviate")
