"""From a checked plan to a pipeline with open models."""

from __future__ import annotations

from corpora.reporting import Report, log
from nlmchem.api.concepts import NAMES, Names
from nlmchem.api.pipeline import NamedStage, Pipeline
from nlmchem.explaining.explainer import explainer_of
from nlmchem.run.plan import Plan
from nlmchem.run.step import Context

_SHOWN = ("tagger", "lexicon")
"""Options in the `repr` of a pipeline."""


def build_pipeline(plan: Plan, report: Report = log) -> Pipeline:
    """The pipeline of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    context = Context(plan.chosen, report)
    stages = [one.step.stage(one.options, context) for one in plan.chosen]
    named = [NamedStage(one.step.name, stage) for one, stage in zip(plan.chosen, stages, strict=True)]
    uses_lexicon = any(hasattr(options, "lexicon") for _, options in plan.steps)
    names = Names(plan.value("lexicon"), lambda: context.lexicon) if uses_lexicon else NAMES
    settings = "".join(f", {name}={value!r}" for name in _SHOWN if (value := plan.value(name)) is not None)
    return Pipeline(named, names, settings, explainer_of(plan.chosen, stages, context))
