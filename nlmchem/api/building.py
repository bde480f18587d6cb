"""From a checked plan to a pipeline with open models."""

from __future__ import annotations

from corpora.reporting import Report, log
from nlmchem.api.concepts import NAMES, PreferredNames
from nlmchem.api.pipeline import Pipeline
from nlmchem.explaining.explainer import explainer_of
from nlmchem.run.plan import Plan
from nlmchem.run.stages import open_stages
from nlmchem.steps.tag import TagOptions
from sieves.lexicon.options import LexiconOptions


def build_pipeline(plan: Plan, report: Report = log) -> Pipeline:
    """The pipeline of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    stages = open_stages(plan, report)
    context = stages.context
    assert context is not None
    lexicon = plan.options(LexiconOptions)
    names = NAMES if lexicon is None else PreferredNames(lexicon.lexicon, lambda: context.lexicon)
    explain = explainer_of(plan.chosen, [named.stage for named in stages.named], context)
    return Pipeline(stages, names, _shown(plan), explain, plan)


def _shown(plan: Plan) -> str:
    """The options in the `repr` of a pipeline."""
    tag, lexicon = plan.options(TagOptions), plan.options(LexiconOptions)
    tagger = "" if tag is None else f", tagger={tag.tagger!r}"
    return tagger if lexicon is None or lexicon.lexicon is None else f"{tagger}, lexicon={lexicon.lexicon!r}"
