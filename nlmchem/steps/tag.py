"""The step `tag`: mentions of chemicals, by models, by the lexicon, or by both."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.options import option, options_of
from corpora.errors import Argument, OptionError, command
from nlmchem.deciding import DECISION_RULES, KNOWLEDGE, LEARNT
from nlmchem.run.step import MODELS, Chosen, Context, Stage, Step
from nlmchem.steps.shared import (
    AnnotatedError,
    CorrectionOptions,
    DeviceOptions,
    ExistingOptions,
    checked_corrections,
    checked_device,
    decision_of,
    decision_version,
    own_names_marker,
    report_conflicts,
    without_use,
)
from nlmchem.tagging.kernel.arithmetic import ARITHMETIC, AUTO, CHOICES, FLOAT32, INT8, chosen
from nlmchem.tagging.models.folders import DEFAULT, LEXICON
from nlmchem.tagging.options import tagger_option

if TYPE_CHECKING:
    from bioc import BioCDocument

    from corpora.model.document import Mention
    from nlmchem.tagging.own_names import OwnNamesMarker
    from nlmchem.tagging.registry import TaggerChoice


@dataclass(frozen=True)
class _ModelOptions:
    """The options of `tag` that no other step has."""

    tagger: str = tagger_option()
    arithmetic: str = option(
        AUTO,
        "Arithmetic of models on a CPU: int8, float32, or auto (int8 where the compiled kernel is fast).",
        choices=CHOICES,
        harmless=(FLOAT32,),
        panel=MODELS,
        advanced=True,
    )
    guidelines: str | None = option(
        None,
        "Annotation guidelines: bc5cdr, biored, chemdner or drugprot with the embedded model. Rules and decisions that "
        "follow NLM-Chem are left out.",
        metavar="NAME",
        default_text="those of NLM-Chem with the embedded model",
        panel=MODELS,
        advanced=True,
    )
    labels: tuple[str, ...] = option(
        (),
        "Labels of a model whose config.json does not name them as BIO, in their order, for example "
        "O,B-Chemical,I-Chemical.",
        metavar="LABEL,...",
        default_text="those of config.json",
        panel=MODELS,
        advanced=True,
    )
    min_score: float = option(
        0.0,
        "Leave out mentions of models with a lower score. With the embedded tagger it is the probability of the "
        "mention.",
        minimum=0,
        maximum=1,
        panel=MODELS,
    )
    target_precision: float | None = option(
        None,
        "Leave out the least probable mentions of each article, so that the mean probability of the others reaches P. "
        "About this share of them is right: an expectation, not a guarantee.",
        metavar="P",
        minimum=0.5,
        maximum=0.99,
        default_text="all mentions",
        panel=MODELS,
    )


@dataclass(frozen=True)
class TagOptions(ExistingOptions, CorrectionOptions, DeviceOptions, _ModelOptions):
    """The options of `tag`."""


def default_decision(tagger: str, guidelines: str | None = None) -> str:
    """The decision after a tagger. The learnt one was trained with the probabilities of the embedded tagger.

    Both decisions follow NLM-Chem, so none is made after other `guidelines`.
    """
    if guidelines is not None:
        return DECISION_RULES
    return LEARNT if tagger.strip() == DEFAULT else KNOWLEDGE


_STATED = {stated.name: stated for stated in options_of(TagOptions)}
OF_MODELS = [_STATED[name] for name in ("guidelines", "labels", "min_score", "target_precision", "rules", "arithmetic")]
"""Options that the lexicon tagger does not have."""


def _check(options: TagOptions, steps: Sequence[Chosen]) -> TagOptions:
    from nlmchem.tagging.registry import split_names

    names = split_names(options.tagger)
    checked_device(options.device)
    if names == (LEXICON,):
        given = [one.name for one in OF_MODELS if getattr(options, one.name) not in (one.default, *one.harmless)]
        # The models of other steps run on the same device.
        given += ["device"] if without_use(options.device, steps) else []
        for name in given:
            raise OptionError(name, "has no effect with the lexicon tagger; leave it out, or choose another tagger")
    # With the lexicon tagger alone, all machines have the same configuration.
    arithmetic = FLOAT32 if names == (LEXICON,) else chosen(options.arithmetic, options.device)
    checked = checked_corrections(options, default_decision(options.tagger, options.guidelines))
    if checked.target_precision is not None:
        if checked.min_score > 0:
            raise OptionError("target_precision", "chooses the lowest score; leave out ", Argument("min_score"))
        from nlmchem.deciding.decision import calibration_of

        if not is_calibrated(checked) or calibration_of(str(checked.decision)) is None:
            raise OptionError(
                "target_precision",
                "needs the embedded tagger with its decision, rules and guidelines, or a decision that "
                f"{command('train decision')} has made for your tagger",
            )
    folders = (str(Path(name).absolute()) if Path(name).is_dir() else name for name in names)
    return replace(
        checked,
        tagger=",".join(folders),
        arithmetic=arithmetic,
        existing=options.existing or "error",
    )


def _stage(options: TagOptions, context: Context) -> Stage:
    decide = decision_of(options, context, is_calibrated(options), options.target_precision)
    tagger = taggers_of(options).stage(context.lexicon, decide)
    return TagStage(tagger, str(options.existing), own_names_marker(options, context))


def _resources(options: TagOptions, context: Context) -> dict[str, str]:
    versions = taggers_of(options).versions()
    kernel = {"kernel": ARITHMETIC} if options.arithmetic == INT8 else {}
    return {"lexicon": context.lexicon.version, **versions, **kernel, "decision": decision_version(options)}


def taggers_of(options: TagOptions) -> TaggerChoice:
    """The taggers of checked options."""
    from nlmchem.tagging.registry import TaggerChoice, split_names

    return TaggerChoice(
        split_names(options.tagger),
        options.min_score,
        options.rules,
        skip_sections=frozenset(options.skip_sections),
        device=options.device,
        arithmetic=options.arithmetic,
        guidelines=options.guidelines,
        labels=tuple(options.labels),
    )


def is_calibrated(options: TagOptions) -> bool:
    """Whether the calibration of the decision holds: it was measured with these taggers, and with their defaults."""
    if options.decision in (KNOWLEDGE, DECISION_RULES):
        return False
    from nlmchem.deciding.decision import read_model

    card = {} if options.decision == LEARNT else read_model(Path(str(options.decision))).card
    return taggers_of(options).measured_by(card)


class TagStage:
    """A tagger, and what happens to mentions of the input.

    `keep`: mentions of the input are not changed, and new mentions that overlap them are removed.
    `replace`: mentions of the input are removed before tagging. `error`: an article with mentions fails.
    """

    def __init__(self, tagger: Stage, existing: str, own_names: OwnNamesMarker | None = None) -> None:
        """`own_names`: marks the names of the user after the tagger."""
        self.tagger = tagger
        self._existing = existing
        self._own_names = own_names

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        """Raises `ArticleError` for the policy `error`."""
        from corpora.model.document import mentions, remove_mentions

        kept: list[set[int]] = []
        for document in documents:
            existing = list(mentions(document))
            if self._existing == "error" and existing:
                raise AnnotatedError(document, len(existing))
            if self._existing == "replace":
                remove_mentions(document)
                existing = []
            kept.append({id(mention.annotation) for mention in existing})
        self.tagger(documents)
        for document, kept_ids in zip(documents, kept, strict=True):
            if self._own_names is not None:
                self._own_names(document, kept_ids)
            if kept_ids:
                _drop_overlapping(document, kept_ids)


def _drop_overlapping(document: BioCDocument, existing: set[int]) -> None:
    """Remove new mentions that overlap mentions of the input."""
    from corpora.model.document import mentions, remove_annotations

    taken = sorted(
        span for mention in mentions(document) if id(mention.annotation) in existing for span in mention.spans
    )
    starts = [start for start, _ in taken]
    reach: list[int] = []
    for _, end in taken:
        reach.append(max(end, reach[-1] if reach else end))

    def overlaps(mention: Mention) -> bool:
        for start, end in mention.spans:
            before = bisect_left(starts, end)
            if before and reach[before - 1] > start:
                return True
        return False

    dropped = {
        id(mention.annotation)
        for mention in mentions(document)
        if id(mention.annotation) not in existing and overlaps(mention)
    }
    remove_annotations(document, lambda found: id(found) in dropped)


STEP = Step(
    "tag",
    TagOptions,
    _stage,
    _check,
    _resources,
    lambda options, context: report_conflicts(context),
    default=True,
    adds_mentions=True,
    on_device=lambda options: bool({name.strip() for name in options.tagger.split(",")} - {"", LEXICON}),
)
