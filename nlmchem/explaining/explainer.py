"""Explains the mentions of an article with the tagger and the decision of a pipeline or of the command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bioc import BioCDocument

from corpora.commands.command import Call, Command, Progress, Result, record
from corpora.commands.options import REQUIRED, argument, group, option
from corpora.commands.shared import split_pair
from corpora.errors import OptionError, command
from corpora.model.document import remove_mentions
from nlmchem.deciding import DECISION_RULES, KNOWLEDGE
from nlmchem.run.step import Chosen, Context
from nlmchem.steps.normalize import SieveOrderOptions
from nlmchem.steps.shared import own_names_marker
from nlmchem.steps.tag import TagOptions, TagStage, is_calibrated, taggers_of
from sieves.dense.options import OFF, DenseOptions
from sieves.lexicon.looking_up import kind
from sieves.lexicon.options import YearOptions
from sieves.lexicon.tables import BLOCKED

if TYPE_CHECKING:
    from bioc import BioCDocument

    from nlmchem.deciding.decision import Decision
    from nlmchem.deciding.knowledge import Knowledge
    from nlmchem.explaining.explanation import ExplainedSpan
    from nlmchem.run.step import Stage
    from nlmchem.tagging.inference.spans import PassageSpans
    from nlmchem.tagging.own_names import OwnNamesMarker
    from sieves.lexicon.lexicon import Lexicon
    from sieves.sieve import SieveCandidate


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
        from nlmchem.explaining.explanation import explain
        from nlmchem.tagging.rules.post_processing import Rules

        copy = deepcopy(document)
        remove_mentions(copy)
        for before in self._before:
            before([copy])
        decide, stage = self._opened
        stage([copy])
        options = self._options
        rules = Rules.parse(options.rules, options.guidelines)
        rows = explain(copy, self._spans.pop(id(copy)), decide, options.min_score, rules)
        marker = own_names_marker(self._options, self._context)
        return rows if marker is None else with_own_names(rows, copy, marker, self._context.lexicon)

    @cached_property
    def _opened(self) -> tuple[Knowledge | Decision, Stage]:
        """The decision, and the tagger as a stage that stores its spans."""
        from nlmchem.deciding.decision import open_decision
        from nlmchem.tagging.inference.spans import own_copies
        from nlmchem.tagging.tagger import NeuralTagger

        options, lexicon = self._options, self._context.lexicon
        decision = str(options.decision)
        if decision == DECISION_RULES:
            problem = f"must be {KNOWLEDGE} or the path of a model: {DECISION_RULES} makes no decision"
            raise OptionError("decision", problem)
        decide = open_decision(decision, lexicon, calibrated=is_calibrated(options), target=options.target_precision)

        def record(document: BioCDocument, passages: Sequence[PassageSpans]) -> None:
            # The tagger changes its own after it.
            self._spans[id(document)] = own_copies(passages)

        if isinstance(self._tagger, NeuralTagger):
            return decide, self._tagger.with_decision(record)
        return decide, taggers_of(options).stage(lexicon, record)


def explainer_of(
    steps: Sequence[Chosen], stages: Sequence[Stage], context: Context
) -> Callable[[BioCDocument], list[ExplainedSpan]] | None:
    """The explainer of a run with these stages; None if it does not tag."""
    for number, (chosen, stage) in enumerate(zip(steps, stages, strict=True)):
        if isinstance(chosen.options, TagOptions) and isinstance(stage, TagStage):
            return Explainer(chosen.options, context, stages[:number], stage)
    return None


NAMED, REFUSED = "it is one of your names", "left out: it is one of the names that you block"


def with_own_names(
    rows: Iterable[ExplainedSpan], document: BioCDocument, marker: OwnNamesMarker, lexicon: Lexicon
) -> list[ExplainedSpan]:
    """The rows of an article with those of the names of the user first. Their score is 1."""
    from nlmchem.explaining.explanation import ExplainedSpan

    marked: dict[str, tuple[str, int]] = {}
    for passage, text, places in marker.places(document):
        for place in places:
            name = text[place.span[0] - passage.offset : place.span[1] - passage.offset]
            marked[name] = place.identifier, marked.get(name, ("", 0))[1] + 1
    of_user = []
    for name, (identifier, number) in sorted(marked.items()):
        blocked = identifier == BLOCKED
        identifiers = () if blocked else tuple(identifier.split(","))
        stands, why = (0, REFUSED) if blocked else (number, NAMED)
        meaning = "-" if blocked else kind(lexicon, identifiers)
        of_user.append(ExplainedSpan(name, stands, number, 1.0, "exact", identifiers, meaning, why, ""))
    return [*of_user, *(row for row in rows if row.text not in marked)]


IDENTIFIER, DENSE = "identifier", "dense"
_SHOWN = 3
"""Candidates of each sieve in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SieveOptions:
    mention: str = argument("A mention as in the text.")
    source: YearOptions = group(YearOptions)
    define: tuple[str, ...] = option((), "Definition in the article.", metavar="SHORT=LONG", repeat=True)
    fallback: DenseOptions = group(DenseOptions)
    order: SieveOrderOptions = group(SieveOrderOptions)


def lexicon_explain(options: SieveOptions, progress: Progress) -> Result:
    """Show the answer of each sieve for a mention, and which one is used. For an identifier, show its concept."""
    from corpora.model.mesh_ids import mesh_id
    from sieves.cascade import Cascade
    from sieves.lexicon.looking_up import by_identifier
    from sieves.registry import DEFAULT_ORDER
    from sieves.sieve import ArticleContext, SieveCandidate

    mention, encoder = options.mention, options.fallback.dense
    definitions = {short: (long,) for short, long in (split_pair(text, "define") for text in options.define)}
    won: str | None = IDENTIFIER
    needed = ""
    with options.source.open(progress) as lexicon:
        # In a text, the name of a concept is never its identifier: the question is what the identifier means.
        concepts = [] if mesh_id(mention) is None else by_identifier(lexicon, mention)
        if concepts:
            found = [SieveCandidate((match.identifier,), IDENTIFIER, match.name) for match, _ in concepts]
            answers = [(IDENTIFIER, found)]
        else:
            cascade = Cascade(lexicon, options.order.sieves or DEFAULT_ORDER)
            answers = list(cascade.explain(mention, ArticleContext(definitions)))
            won = next((sieve for sieve, candidates in answers if candidates), None)
            if encoder not in (None, OFF):
                from sieves.dense.fallback import open_fallback
                from sieves.lexicon.keys import tidy

                threshold = options.fallback.dense_threshold
                fallback = open_fallback(lexicon, options.source.path, str(encoder), threshold, report=progress)
                answers.append((DENSE, fallback.nearest(tidy(mention))))
                won = won or (DENSE if fallback([tidy(mention)]) else None)
                needed = f" (the dense fallback needs a cosine of {fallback.threshold:g})"
    lines, by_sieve = ["   sieve\tcandidates"], {}
    for sieve, candidates in answers:
        answer = "; ".join(map(_described, candidates[:_SHOWN])) or "no answer"
        lines.append(f"{'->' if sieve == won else '  '} {sieve}\t{answer}")
        by_sieve[sieve] = [
            {"identifiers": list(candidate.identifiers)}
            | {name: getattr(candidate, name) for name in ("matched_name", "layer", "via", "score")}
            for candidate in candidates
        ]
    if won == IDENTIFIER:
        other = command("lexicon explain NAME")
        lines.append(f"{mention} is an identifier; {other} shows what the sieves find for a name")
    elif won:
        lines.append("the first sieve with an answer is used")
    else:
        lines.append(f"no sieve has an answer for {mention!r}: its identifier is -{needed}")
    return record({"mention": mention, "winner": won, "sieves": by_sieve}, *lines)


def _described(candidate: SieveCandidate) -> str:
    via = f" from {candidate.via!r}" if candidate.via else ""
    layer = f" in {candidate.layer}" if candidate.layer else ""
    score = f", score {candidate.score:.4f}" if candidate.score is not None else ""
    return f"{','.join(candidate.identifiers)} ({candidate.matched_name!r}{layer}{via}{score})"


EXPLAIN = Command(
    "lexicon explain", SieveOptions, lexicon_explain,
    Call({"mention": "DHA", "define": ["DHA=docosahexaenoic acid"]}),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions:
    gold: tuple[str, ...] = option(
        REQUIRED, "Articles with gold mentions and identifiers.", metavar="PATH", repeat=True
    )
    source: YearOptions = group(YearOptions)


def lexicon_order(options: OrderOptions, progress: Progress) -> Result:
    """Measure the precision of each sieve on gold mentions, and print the sieves with the highest precision first.

    The option `sieves` of `nlmchem annotate` takes the printed order.
    """
    from corpora.reading import read
    from nlmchem.abbreviations import AbbreviationStage
    from sieves.cascade import learned_order

    with options.source.open(progress) as lexicon:
        documents = list(read(options.gold, report=progress))
        AbbreviationStage()(documents)
        rows, order = learned_order(documents, lexicon)
    cells = (
        (row.sieve, row.reached, row.answered, "-" if row.precision is None else f"{row.precision:.3f}") for row in rows
    )
    return record(
        {"order": order, "sieves": [[row.sieve, row.reached, row.answered, row.right] for row in rows]},
        "sieve\tmentions\tanswered\tprecision",
        *("\t".join(map(str, row)) for row in cells),
        "order\t" + ",".join(order),
    )


ORDER = Command("lexicon order", OrderOptions, lexicon_order, Call({"gold": ["gold/"]}))
