"""From a checked plan to a pipeline with open models."""

from __future__ import annotations

from corpora.reporting import Report, log
from nlmchem.api.concepts import NAMES, Names
from nlmchem.api.pipeline import Pipeline
from nlmchem.explaining.explainer import explainer_of
from nlmchem.run.plan import Plan
from nlmchem.run.stages import open_stages

_SHOWN = ("tagger", "lexicon")
"""Options in the `repr` of a pipeline."""


def build_pipeline(plan: Plan, report: Report = log) -> Pipeline:
    """The pipeline of a plan. Raises `ResourceError` for a lexicon or model that cannot be opened."""
    stages = open_stages(plan, report)
    context = stages.context
    assert context is not None
    uses_lexicon = any(hasattr(options, "lexicon") for _, options in plan.steps)
    names = Names(plan.value("lexicon"), lambda: context.lexicon) if uses_lexicon else NAMES
    settings = "".join(f", {name}={value!r}" for name in _SHOWN if (value := plan.value(name)) is not None)
    explain = explainer_of(plan.chosen, [named.stage for named in stages.named], context)
    return Pipeline(stages, names, settings, explain, plan)
