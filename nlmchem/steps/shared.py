"""Options that several steps have, and their checks. A step inherits them, so that each is stated once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from corpora.commands.options import option
from corpora.errors import Argument, ArticleError, OptionError
from corpora.words.quantities import quantity
from indexing.terms.indexer import EXISTING
from nlmchem.deciding import DECISION_RULES, KNOWLEDGE, LEARNT
from nlmchem.run.step import COMMON, MODELS, Chosen, Context, absolute_path
from sieves.lexicon.options import NamesOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.tagging.inference.spans import Decide
    from nlmchem.tagging.own_names import OwnNamesMarker

CPU = "cpu"


@dataclass(frozen=True)
class DeviceOptions:
    """The device, of the steps that run models of torch."""

    device: str = option(CPU, "Where models run: cpu, cuda or cuda:N.", panel=MODELS)


def existing_option() -> str | None:
    """What happens to annotations of the input."""
    return option(
        None,
        "Annotations of the input: keep them, replace them, or treat the article as an error.",
        choices=EXISTING,
        default_text="error for mentions with the step tag, otherwise keep",
        harmless=("keep",),
        panel=COMMON,
    )


@dataclass(frozen=True)
class ExistingOptions:
    """The option `existing`, of the steps that write annotations which the input may have already."""

    existing: str | None = existing_option()


@dataclass(frozen=True)
class CorrectionOptions(NamesOptions):
    """Rules and decision, of the steps that decide which mentions are kept."""

    rules: str = option(
        "default",
        "Rules that correct the mentions of a model: default (all; with guidelines, those that suit any), all, none, "
        "or names joined by commas.",
        metavar="RULE,...",
        panel=MODELS,
        advanced=True,
    )
    decision: str | None = option(
        None,
        "Decision about mentions: knowledge (of the lexicon), learnt (the embedded model), rules (none), or the path "
        "of a model (.json).",
        metavar="NAME",
        default_text="learnt with the embedded tagger, rules with guidelines, otherwise knowledge",
        by_content=True,
        harmless=(KNOWLEDGE,),
        panel=MODELS,
        advanced=True,
    )
    explain: bool = option(False, "Write into each new mention why the decision keeps it.", panel=MODELS, advanced=True)
    skip_sections: tuple[str, ...] = option(
        (),
        "Section types to leave out, joined by commas, for example REF,SUPPL.",
        metavar="SECTION,...",
        default_text="none",
        panel=MODELS,
    )


L = TypeVar("L", bound=NamesOptions)
C = TypeVar("C", bound=CorrectionOptions)


class AnnotatedError(ArticleError):
    """An article has mentions under `existing="error"`."""

    def __init__(self, document: BioCDocument, number: int) -> None:
        keep, replace = Argument("existing", "keep"), Argument("existing", "replace")
        super().__init__(
            f"document {document.id!r} already has {quantity(number, 'chemical mention')}; use ", keep, " or ", replace
        )


def first(steps: Sequence[Chosen], options: object) -> bool:
    """Whether no step before the one with these options adds mentions."""
    for chosen in steps:
        if chosen.options is options:
            return True
        if chosen.step.adds_mentions:
            return False
    return True


def checked_lexicon(options: L) -> L:
    """The options with absolute paths of the lexicon and of the names of the user."""
    from sieves.lexicon.tables import STARTER

    name = options.lexicon
    lexicon = name if name in (None, STARTER) else str(Path(str(name)).absolute())
    return replace(options, lexicon=lexicon, names=tuple(str(Path(path).absolute()) for path in options.names))


def checked_corrections(options: C, default_decision: str) -> C:
    """Rules, decision and sections checked. Raises `OptionError`."""
    from corpora.model.sections import SECTIONS
    from nlmchem.tagging.rules.post_processing import Rules

    Rules.parse(options.rules)
    sections = {section.upper() for section in options.skip_sections}
    unknown = sorted(sections - SECTIONS)
    if unknown:
        raise OptionError("skip_sections", f"contains {unknown[0]!r}; the sections are {', '.join(sorted(SECTIONS))}")
    decision = default_decision if options.decision is None else options.decision
    if options.explain and decision == DECISION_RULES:
        because = f"has no effect with the decision {DECISION_RULES}, which gives no reasons; "
        raise OptionError("explain", because, "choose another ", Argument("decision"))
    if decision not in (names := (KNOWLEDGE, LEARNT, DECISION_RULES)):
        if Path(decision).suffix != ".json":
            raise OptionError(
                "decision", f"must be {', '.join(names)} or the path of a model (.json), not {decision!r}"
            )
        decision = str(absolute_path(decision))
    return replace(checked_lexicon(options), decision=decision, skip_sections=tuple(sorted(sections)))


def checked_device(device: str) -> None:
    """Raise `OptionError` for a name that is no device."""
    if re.fullmatch(r"cpu|cuda(:\d+)?", device) is None:
        raise OptionError("device", f"must be cpu, cuda or cuda:N, not {device!r}")


def without_use(device: str, steps: Sequence[Chosen]) -> bool:
    """Whether a device is given, but none of the steps runs a model on it."""
    return device != CPU and not any(chosen.step.on_device(chosen.options) for chosen in steps)


def own_names_marker(options: CorrectionOptions, context: Context) -> OwnNamesMarker | None:
    """Marks the names of the user; None if there are none."""
    names = context.lexicon.own
    if names is None:
        return None
    from nlmchem.tagging.own_names import OwnNamesMarker

    return OwnNamesMarker(names, frozenset(options.skip_sections))


def report_conflicts(context: Context) -> None:
    """Report the names of the user that mean another concept in the lexicon."""
    from sieves.lexicon.tables import conflicts_sentence

    if (sentence := conflicts_sentence(context.lexicon.conflicts())) is not None:
        context.report(sentence)


def decision_of(
    options: CorrectionOptions, context: Context, calibrated: bool = False, target: float | None = None
) -> Decide | None:
    """The decision of checked options; None: the rules alone. `calibrated`, `target`: as in `open_decision`."""
    if options.decision == DECISION_RULES:
        return None
    from nlmchem.deciding.decision import open_decision

    return open_decision(str(options.decision), context.lexicon, options.explain, calibrated, target)


def decision_version(options: CorrectionOptions) -> str:
    """The hash of the decision of checked options."""
    if options.decision == DECISION_RULES:
        return DECISION_RULES
    from nlmchem.deciding.decision import version_of

    return version_of(str(options.decision))
