"""The step `normalize`: the MeSH concepts of mentions, by the sieves and the dense fallback."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from corpora.commands.options import option
from corpora.errors import ConfigurationError, OptionError
from nlmchem.run.step import MODELS, RESOURCES, Chosen, Context, Stage, Step, absolute_path
from nlmchem.steps.shared import (
    AnnotatedError,
    DeviceOptions,
    ExistingOptions,
    checked_device,
    checked_lexicon,
    first,
    without_use,
)
from sieves.dense.options import OFF, DenseOptions
from sieves.lexicon.options import YearOptions

if TYPE_CHECKING:
    from bioc import BioCDocument

    from sieves.dense.fallback import DenseFallback


@dataclass(frozen=True)
class SieveOrderOptions:
    """The options of `normalize` that no other step has."""

    sieves: tuple[str, ...] = option(
        (),
        "Sieves in the order in which they are tried, joined by commas. `nlmchem lexicon order` prints an order.",
        metavar="SIEVE,...",
        default_text="all, in the order of docs/reference/normalization.md",
        panel=MODELS,
        advanced=True,
    )
    xrefs: bool = option(
        False,
        "Add the identifiers of ChEBI and PubChem to mentions, as infons and as columns of tables.",
        panel=RESOURCES,
    )


@dataclass(frozen=True)
class NormalizeOptions(ExistingOptions, DeviceOptions, SieveOrderOptions, DenseOptions, YearOptions):
    """The options of `normalize`."""


def _check(options: NormalizeOptions, steps: Sequence[Chosen]) -> NormalizeOptions:
    dense = None if options.dense == OFF else absolute_path(options.dense)
    checked_device(options.device)
    alone = first(steps, options)
    if without_use(options.device, steps):
        raise OptionError("device", "has no effect without a model: neither the step tag nor a dense encoder runs")
    if dense is None and options.dense_threshold is not None:
        raise OptionError("dense_threshold", "has no effect without a dense encoder; choose one, for example default")
    sieves: tuple[str, ...] = ()
    if options.sieves:
        from sieves.registry import DEFAULT_ORDER, checked_order

        try:
            order = checked_order(options.sieves)
        except ConfigurationError as error:
            raise OptionError("sieves", f"cannot be used: {error}") from None
        sieves = () if order == DEFAULT_ORDER else order
    return replace(
        checked_lexicon(options),
        sieves=sieves,
        dense=dense,
        # After a step that adds mentions, the option has had its effect there.
        existing=(options.existing or "keep") if alone else "keep",
    )


def _stage(options: NormalizeOptions, context: Context) -> Stage:
    from sieves.normalizer import Normalizer
    from sieves.registry import DEFAULT_ORDER

    normalizer = Normalizer(context.lexicon, options.sieves or DEFAULT_ORDER, dense=_dense(options, context))
    linking = _Linking(normalizer, str(options.existing))
    return _CrossReferring(linking, context) if options.xrefs else linking


def _dense(options: NormalizeOptions, context: Context) -> DenseFallback | None:
    if options.dense is None:
        return None
    from sieves.dense.fallback import open_fallback

    path = None if options.lexicon is None else Path(options.lexicon)
    return open_fallback(context.lexicon, path, options.dense, options.dense_threshold, options.device, context.report)


def _resources(options: NormalizeOptions, context: Context) -> dict[str, str]:
    versions = {"lexicon": context.lexicon.version}
    if context.lexicon.year is not None:
        versions["MeSH"] = context.lexicon.year
    if options.dense is not None:
        from sieves.dense.encoders import encoder_version

        versions["dense encoder"] = encoder_version(options.dense)
    return versions


class _Linking:
    """The normalizer, and how sure the identifiers that it found are.

    Identifiers of the input are removed before (`replace`), refused (`error`), or left as they are (`keep`).
    """

    def __init__(self, normalizer: Stage, existing: str) -> None:
        self._normalizer = normalizer
        self._existing = existing

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        from corpora.model.document import clear_identifiers, mentions
        from nlmchem.deciding.linking import write_probabilities

        held = [list(mentions(document)) for document in documents]
        for document, of_document in zip(documents, held, strict=True):
            if self._existing == "error" and of_document:
                raise AnnotatedError(document, len(of_document))
            if self._existing == "replace":
                for mention in of_document:
                    clear_identifiers(mention)
        sought = [[mention for mention in of_document if not mention.sought] for of_document in held]
        self._normalizer(documents)
        for of_document, without_identifier in zip(held, sought, strict=True):
            write_probabilities(of_document, without_identifier)


class _CrossReferring:
    """A stage, and the identifiers of other databases for all mentions with a concept."""

    def __init__(self, stage: Stage, context: Context) -> None:
        from sieves.lexicon.looking_up import CrossReferences

        self._stage = stage
        self._references = CrossReferences(context.lexicon)

    def __call__(self, documents: Sequence[BioCDocument]) -> None:
        from corpora.model.document import mentions
        from corpora.model.mention_infons import set_cross_references

        self._stage(documents)
        for document in documents:
            for mention in mentions(document):
                set_cross_references(mention, self._references.of_all(mention.identifiers))


STEP = Step(
    "normalize",
    NormalizeOptions,
    _stage,
    _check,
    _resources,
    # The name vectors of the dense fallback are made once, not by each worker.
    _dense,
    default=True,
    on_device=lambda options: options.dense not in (None, OFF),
)
