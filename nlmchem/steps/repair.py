"""The step `repair`: the mentions of another tagger, corrected by the rules and the decision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from corpora.commands.options import option
from corpora.errors import OptionError
from corpora.model.chemical import CHEMICAL
from nlmchem.deciding import DECISION_RULES, KNOWLEDGE
from nlmchem.run.step import MODELS, Chosen, Context, Stage, Step, options_in
from nlmchem.steps.shared import (
    CorrectionOptions,
    ExistingOptions,
    checked_corrections,
    decision_of,
    decision_version,
)


@dataclass(frozen=True)
class RepairOptions(CorrectionOptions):
    """The options of `repair`."""

    repair_types: tuple[str, ...] = option(
        (),
        "Types of the mentions that the step repair takes, joined by commas, for example Chemical,drug.",
        metavar="TYPE,...",
        default_text="Chemical",
        panel=MODELS,
        advanced=True,
    )


def _check(options: RepairOptions, steps: Sequence[Chosen]) -> RepairOptions:
    if any(chosen.step.adds_mentions for chosen in steps):
        raise OptionError(
            "steps",
            "contains tag and repair, but repair corrects the mentions of another tagger; leave one of the two out",
        )
    if options.decision == DECISION_RULES and options.rules == "none":
        raise OptionError("rules", "and the decision leave nothing to repair; choose some rules")
    if any(other.existing == "error" for other in options_in(steps, ExistingOptions)):
        raise OptionError("existing", "cannot be error with the step repair, which needs mentions in the input")
    if options.decision not in (None, KNOWLEDGE, DECISION_RULES):
        raise OptionError(
            "decision",
            f"must be {KNOWLEDGE} or {DECISION_RULES} with the step repair, because a learnt decision needs the "
            "probabilities of a model",
        )
    types = tuple(sorted(set(options.repair_types) or {CHEMICAL}))
    return replace(checked_corrections(options, KNOWLEDGE), repair_types=types)


def _stage(options: RepairOptions, context: Context) -> Stage:
    from nlmchem.tagging.repair import Repair
    from nlmchem.tagging.rules.post_processing import Rules

    return Repair(
        context.lexicon.version,
        Rules.parse(options.rules),
        decision_of(options, context),
        types=options.repair_types,
        skip_sections=options.skip_sections,
    )


STEP = Step(
    "repair",
    RepairOptions,
    _stage,
    _check,
    lambda options, context: {"lexicon": context.lexicon.version, "decision": decision_version(options)},
)
