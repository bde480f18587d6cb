"""Explains the mentions of an article with the tagger and the decision of a pipeline or of the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.errors import OptionError
from corpora.model.document import remove_mentions
from nlmchem.explaining.own_names import with_own_names
from nlmchem.run.step import Chosen, Context
from nlmchem.steps.shared import DECISION_RULES, KNOWLEDGE, own_names_marker
from nlmchem.steps.tag import TagOptions, TagStage, is_calibrated, taggers_of

if TYPE_CHECKING:
    from nlmchem.deciding.decision import Decision
    from nlmchem.deciding.explanation import ExplainedSpan
    from nlmchem.deciding.knowledge import Knowledge
    from nlmchem.run.step import Stage
    from nlmchem.tagging.inference.spans import PassageSpans


class Explainer:
    """Lists the texts of an article that were considered, and why they become mentions or not.

    `before`: the stages that run before the tagger.
    `stage`: that of the pipeline, if there is one; its models are used. Otherwise they are opened at the first call.
    Raises `OptionError` there if there is no decision (`decision="rules"`).
    """

    def __init__(
        self, options: TagOptions, context: Context, before: Sequence[Stage], stage: TagStage | None = None
    ) -> None:
        self._options = options
        self._context = context
        self._before = before
        self._tagger = stage and stage.tagger
        # By the `id` of the article in work, because threads may share an explainer.
        self._spans: dict[int, Sequence[PassageSpans]] = {}

    def __call__(self, document: BioCDocument) -> list[ExplainedSpan]:
        """The rows of one article; it is not changed. Mentions that it has are ignored."""
        from nlmchem.deciding.explanation import explain

        copy = deepcopy(document)
        remove_mentions(copy)
        for before in self._before:
            before([copy])
        decide = self._decide
        self._stage([copy])
        rows = explain(copy, self._spans.pop(id(copy)), decide, self._options.min_score)
        marker = own_names_marker(self._options, self._context)
        return rows if marker is None else with_own_names(rows, copy, marker, self._context.lexicon)

    @cached_property
    def _decide(self) -> Knowledge | Decision:
        from nlmchem.deciding.decision import open_decision

        decision = str(self._options.decision)
        if decision == DECISION_RULES:
            problem = f"must be {KNOWLEDGE} or the path of a model: {DECISION_RULES} makes no decision"
            raise OptionError("decision", problem)
        options = self._options
        return open_decision(
            decision, self._context.lexicon, calibrated=is_calibrated(options), target=options.target_precision
        )

    @cached_property
    def _stage(self) -> Stage:
        from nlmchem.tagging.tagger import NeuralTagger

        def record(document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
            self._spans[id(document)] = passages

        if isinstance(self._tagger, NeuralTagger):
            return self._tagger.with_decision(record)
        return taggers_of(self._options).stage(self._context.lexicon, record)


def explainer_of(
    steps: Sequence[Chosen], stages: Sequence[Stage], context: Context
) -> Callable[[BioCDocument], list[ExplainedSpan]] | None:
    """The explainer of a run with these stages; None if it does not tag."""
    for number, (chosen, stage) in enumerate(zip(steps, stages, strict=True)):
        if isinstance(chosen.options, TagOptions) and isinstance(stage, TagStage):
            return Explainer(chosen.options, context, stages[:number], stage)
    return None
