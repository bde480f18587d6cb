"""From a checked plan to a pipeline with open models."""

from __future__ import annotations

from corpora.reporting import Report, log
from nlmchem.api.concepts import NAMES, Names
from nlmchem.api.explaining import explainer_of
from nlmchem.api.pipeline import NamedStage, Pipeline
from nlmchem.run.lexicon import LexiconOptions
from nlmchem.run.plan import Plan
from nlmchem.run.step import Context
from nlmchem.steps.tag import TagOptions


def build_pipeline(plan: Plan, report: Report = log) -> Pipeline:
    """The pipeline of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    context = Context(plan.chosen, report)
    stages = [chosen.step.stage(chosen.options, context.of(chosen)) for chosen in plan.chosen]
    named = [NamedStage(chosen.step.name, stage) for chosen, stage in zip(plan.chosen, stages, strict=True)]
    lexicon = plan.options(LexiconOptions)
    names = NAMES if lexicon is None else Names(lexicon.lexicon, lambda: context.lexicon)
    return Pipeline(named, names, _shown(plan), explainer_of(plan.chosen, stages, context))


def _shown(plan: Plan) -> str:
    """The options in the `repr` of a pipeline."""
    tag, lexicon = plan.options(TagOptions), plan.options(LexiconOptions)
    tagger = "" if tag is None else f", tagger={tag.tagger!r}"
    return tagger if lexicon is None or lexicon.lexicon is None else f"{tagger}, lexicon={lexicon.lexicon!r}"
